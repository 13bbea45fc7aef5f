internal import Figures
internal import Tracker
internal import Phone
internal import Scenarios
internal import SimulationCore
internal import Telemetry

/// Updates, deletes and installs the app of a shard's phone at the instants that its owner's habits
/// give (LC13, LC15, LC16).
extension Shard {
  /// Puts the next update or deletion of the app on the phone's calendar.
  mutating func armInstallation(_ i: Int, after now: SimInstant) {
    let (cohort, id) = (Int(phones[i].cohort), phones[i].id)
    let removal = context.reinstalls[cohort].next(after: now, phone: id)
    let next = min(context.updates[cohort].next(after: now, phone: id), removal.start)
    phones[i].os.due[.installation] = inRun(next)
  }

  /// LC13: Lets the phone look whether it needs memory now, and when it does so next.
  mutating func lookAtMemory(_ i: Int, now: SimInstant) {
    system(i, .due(.memory), now: now)
    phones[i].os.due[.memory] = inRun(phones[i].os.due[.memory])
  }

  /// What comes after the run takes no room in a phone's record.
  private func inRun(_ at: SimInstant) -> SimInstant {
    at < context.measureEnd ? at : .distantFuture
  }

  /// The app is updated, deleted, or there again.
  mutating func installationDue(_ i: Int, now: SimInstant) {
    if phones[i].isRemoved { return installApp(i, now: now) }
    let (cohort, id) = (Int(phones[i].cohort), phones[i].id)
    let removal = context.reinstalls[cohort].next(after: now - .microseconds(1), phone: id)
    if removal.start == now { return removeApp(i, until: removal.end, now: now) }
    // LC15: The phone must be on its charger, not save power, and nobody must use the app; else
    // it tries again in another night.
    let battery = phones[i].os.battery
    guard battery.isPlugged, !battery.isInLowPowerMode, !phones[i].os.isOff(at: now),
      phones[i].process.state != .foreground
    else {
      phones[i].os.due[.installation] = min(
        context.updates[cohort].again(after: now, phone: id), removal.start)
      return
    }
    let needsOpening = context.updates[cohort].needsOpening(id, installedAt: now)
    armInstallation(i, after: now)
    system(i, .updated(needsOpening: needsOpening), now: now)
  }

  /// LC16: Deletes the app with all that it has: its outbox, its settings, its token.
  private mutating func removeApp(_ i: Int, until back: SimInstant, now: SimInstant) {
    account(i, upTo: now)
    phones[i].world.combine(8, now, 1)
    system(i, .removed, now: now)
    let (cut, waiting) = (phones[i].tracker.cutCount, phones[i].outbox.count)
    var entry = FormerInstallations.Entry(newest: newestAcknowledged(i))
    if cut > 0 {
      let sequence = phones[i].tracker.lastSequence
      let id = BatchID(phone: phones[i].id, epoch: epoch(i), sequence: sequence)
      entry.unanswered = (id, hash(i, cut, sequence: sequence), Int(cut))
      metrics[.batchesRemoved] += 1
    }
    former.add(entry, of: i)
    metrics[.fixesRemoved] += Int(waiting)
    pool.dropFirst(Int(waiting), from: &phones[i].outbox)
    phones[i].tracker = TrackerStateMachine()
    var upload = UploadState()
    upload.attempt = phones[i].upload.attempt
    upload.newest = phones[i].upload.newest
    upload.newestPlace = phones[i].upload.newestPlace
    phones[i].upload = upload
    phones[i].os.due[.uploadOutcome] = .distantFuture
    phones[i].policy = UInt8(
      context.scenario.fleet.cohorts[Int(phones[i].cohort)].policy)
    phones[i].rollout = 0
    phones[i].reinstalls &+= 1
    phones[i].isRemoved = true
    phones[i].hasOldToken = true
    phones[i].os.due[.installation] = back
  }

  /// LC16: Installs the app anew; its owner opens it and leaves it, unless the phone is off.
  private mutating func installApp(_ i: Int, now: SimInstant) {
    account(i, upTo: now)
    phones[i].world.combine(8, now, 2)
    phones[i].isRemoved = false
    trace(i, at: now, .edge(.reinstalled, begins: false))
    armInstallation(i, after: now)
    if phones[i].os.isOff(at: now) { return }
    lookAtApp(i, now: now)
    lookAway(i, now: now)
  }
}
