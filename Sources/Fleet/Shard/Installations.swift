internal import Figures
internal import Tracker
internal import Phone
internal import Scenarios
internal import SimulationCore
internal import Telemetry

/// Updates, deletes and installs the app of a shard's phone at the instants that its owner's habits
/// give (LC13, LC15, LC16).
enum Installations {
  /// Puts the next update or deletion of the app on the phone's calendar.
  static func arm(_ shard: inout Shard, _ i: Int, after now: SimInstant) {
    let (cohort, id) = (Int(shard.phones[i].cohort), shard.phones[i].id)
    let removal = shard.context.reinstalls[cohort].next(after: now, phone: id)
    let next = min(shard.context.updates[cohort].next(after: now, phone: id), removal.start)
    shard.phones[i].os.due[.installation] = inRun(next, shard)
  }

  /// LC13: Lets the phone look whether it needs memory now, and when it does so next.
  static func lookAtMemory(_ shard: inout Shard, _ i: Int, now: SimInstant) {
    shard.system(i, .due(.memory), now: now)
    shard.phones[i].os.due[.memory] = inRun(shard.phones[i].os.due[.memory], shard)
  }

  /// What comes after the run takes no room in a phone's record.
  private static func inRun(_ at: SimInstant, _ shard: borrowing Shard) -> SimInstant {
    at < shard.context.measureEnd ? at : .distantFuture
  }

  /// The app is updated, deleted, or there again.
  static func happen(_ shard: inout Shard, _ i: Int, now: SimInstant) {
    if shard.phones[i].isRemoved { return install(&shard, i, now: now) }
    let (cohort, id) = (Int(shard.phones[i].cohort), shard.phones[i].id)
    let removal = shard.context.reinstalls[cohort].next(after: now - .microseconds(1), phone: id)
    if removal.start == now { return remove(&shard, i, until: removal.end, now: now) }
    // LC15: The phone must be on its charger, not save power, and nobody must use the app; else
    // it tries again in another night.
    let battery = shard.phones[i].os.battery
    guard battery.isPlugged, !battery.isInLowPowerMode, !shard.phones[i].os.isOff(at: now),
      shard.phones[i].process.state != .foreground
    else {
      shard.phones[i].os.due[.installation] = min(
        shard.context.updates[cohort].again(after: now, phone: id), removal.start)
      return
    }
    let needsOpening = shard.context.updates[cohort].needsOpening(id, installedAt: now)
    arm(&shard, i, after: now)
    shard.system(i, .updated(needsOpening: needsOpening), now: now)
  }

  /// LC16: Deletes the app with all that it has: its outbox, its settings, its token.
  private static func remove(
    _ shard: inout Shard, _ i: Int, until back: SimInstant, now: SimInstant
  ) {
    shard.account(i, upTo: now)
    shard.phones[i].world.combine(8, now, 1)
    shard.system(i, .removed, now: now)
    let (cut, waiting) = (shard.phones[i].tracker.cutCount, shard.phones[i].outbox.count)
    var entry = FormerInstallations.Entry(newest: shard.newestAcknowledged(i))
    if cut > 0 {
      let sequence = shard.phones[i].tracker.lastSequence
      let id = BatchID(phone: shard.phones[i].id, epoch: shard.epoch(i), sequence: sequence)
      entry.unanswered = (id, shard.hash(i, cut, sequence: sequence), Int(cut))
      shard.metrics[.batchesRemoved] += 1
    }
    shard.former.add(entry, of: i)
    shard.metrics[.fixesRemoved] += Int(waiting)
    shard.pool.dropFirst(Int(waiting), from: &shard.phones[i].outbox)
    shard.phones[i].tracker = TrackerStateMachine()
    var upload = UploadState()
    upload.attempt = shard.phones[i].upload.attempt
    upload.newest = shard.phones[i].upload.newest
    upload.newestPlace = shard.phones[i].upload.newestPlace
    shard.phones[i].upload = upload
    shard.phones[i].os.due[.uploadOutcome] = .distantFuture
    shard.phones[i].policy = UInt8(
      shard.context.scenario.fleet.cohorts[Int(shard.phones[i].cohort)].policy)
    shard.phones[i].rollout = 0
    shard.phones[i].reinstalls &+= 1
    shard.phones[i].isRemoved = true
    shard.phones[i].hasOldToken = true
    shard.phones[i].os.due[.installation] = back
  }

  /// LC16: Installs the app anew; its owner opens it and leaves it, unless the phone is off.
  private static func install(_ shard: inout Shard, _ i: Int, now: SimInstant) {
    shard.account(i, upTo: now)
    shard.phones[i].world.combine(8, now, 2)
    shard.phones[i].isRemoved = false
    shard.trace(i, at: now, .edge(.reinstalled, begins: false))
    arm(&shard, i, after: now)
    if shard.phones[i].os.isOff(at: now) { return }
    shard.lookAtApp(i, now: now)
    shard.lookAway(i, now: now)
  }
}
