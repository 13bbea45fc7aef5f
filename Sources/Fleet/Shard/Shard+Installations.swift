internal import Core
internal import Phone
internal import Scenarios

/// Updates, deletes and installs the app when its owner does (LC13, LC15, LC16).
extension Shard {
  mutating func armInstallation(_ phone: inout Device, after now: SimInstant) {
    let (cohort, id) = (Int(phone.cohort), phone.id)
    let removal = context.reinstalls[cohort].next(after: now, phone: id)
    let next = min(context.updates[cohort].next(after: now, phone: id), removal.start)
    phone.due[.installation] = inRun(next)
  }

  /// LC13: Checks whether the phone needs memory now, and schedules the next check.
  mutating func lookAtMemory(_ phone: inout Device, now: SimInstant) {
    system(&phone, .due(.memory), now: now)
    phone.due[.memory] = inRun(phone.due[.memory])
  }

  /// Replaces an instant after the run by `distantFuture`, which packs into a shorter record.
  private func inRun(_ at: SimInstant) -> SimInstant {
    at < context.measureEnd ? at : .distantFuture
  }

  mutating func installationDue(_ phone: inout Device, now: SimInstant) {
    if phone.isRemoved { return installApp(&phone, now: now) }
    let (cohort, id) = (Int(phone.cohort), phone.id)
    let removal = context.reinstalls[cohort].next(after: now - .microseconds(1), phone: id)
    if removal.start == now { return removeApp(&phone, until: removal.end, now: now) }
    // LC15: An update needs a charger, no Low Power Mode, and an app that is not in use. Otherwise
    // the phone tries again in another night.
    let battery = phone.battery
    guard battery.isPlugged, !battery.isInLowPowerMode, !phone.isOff(at: now),
      phone.process.state != .foreground
    else {
      phone.due[.installation] = min(
        context.updates[cohort].again(after: now, phone: id), removal.start)
      return
    }
    let needsOpening = context.updates[cohort].needsOpening(id, installedAt: now)
    armInstallation(&phone, after: now)
    system(&phone, .updated(needsOpening: needsOpening), now: now)
  }

  /// LC16: Deletes the app with its outbox, its settings and its token.
  private mutating func removeApp(_ phone: inout Device, until back: SimInstant, now: SimInstant) {
    account(&phone, upTo: now)
    phone.world.combine(8, now, 1)
    system(&phone, .removed, now: now)
    let waiting = phone.outbox.count
    var entry = FormerInstallations.Entry(newest: newestAcknowledged(phone))
    entry.unanswered = cutBatch(phone)
    if entry.unanswered != nil { metrics[.batchesRemoved] += 1 }
    former.add(entry, of: index(phone.id))
    metrics[.fixesRemoved] += Int(waiting)
    effects.outboxes.dropFirst(Int(waiting), from: &phone.outbox)
    metrics[.eventsRemoved] += effects.events[phone.id]?.waiting.count ?? 0
    effects.events[phone.id] = nil
    phone.tracker = TrackerStateMachine()
    var upload = UploadState()
    upload.attempt = phone.upload.attempt
    upload.newest = phone.upload.newest
    upload.newestPlace = phone.upload.newestPlace
    phone.upload = upload
    phone.due[.uploadOutcome] = .distantFuture
    phone.policy = UInt8(context.scenario.fleet.cohorts[Int(phone.cohort)].policy)
    phone.rollout = 0
    phone.reinstalls &+= 1
    phone.isRemoved = true
    phone.hasOldToken = true
    phone.due[.installation] = back
  }

  /// LC16: Reinstalls the app. The owner opens and leaves the app, unless the phone is off.
  private mutating func installApp(_ phone: inout Device, now: SimInstant) {
    account(&phone, upTo: now)
    phone.world.combine(8, now, 2)
    phone.isRemoved = false
    trace(phone.id, at: now, .edge(.reinstalled, begins: false))
    armInstallation(&phone, after: now)
    if phone.isOff(at: now) { return }
    lookAtApp(&phone, now: now)
    lookAway(&phone, now: now)
  }
}
