internal import Phone
internal import SimulationCore
internal import Telemetry
internal import Tracker

/// A phone's operating system and its app, run together: the system's effects are performed, the
/// app answers its callbacks, and what it asks goes back to the system at once.
///
/// While a system handles an event, the shard works on the `os` that it is lent, not on the phone's.
extension Shard {
  /// Lets a phone's system meet an event.
  @discardableResult
  mutating func system(_ i: Int, _ event: PhoneOS.Event, now: SimInstant) -> Bool {
    phones[i].os.handle(event, at: now, context.systems[place(i)]) { os, effect, instant in
      self.perform(effect, of: i, &os, now: instant)
    }
  }

  /// The same from within an effect.
  private mutating func system(
    _ i: Int, _ os: inout PhoneOS, _ event: PhoneOS.Event, now: SimInstant
  ) {
    let place = context.system(
      of: os.id, cohort: Int(phones[i].cohort), policy: Int(phones[i].policy))
    os.handle(event, at: now, context.systems[place]) { os, effect, instant in
      self.perform(effect, of: i, &os, now: instant)
    }
  }

  /// Tells the app what does not come from its system.
  ///
  /// When a run drains, phones hear the outcome of their last upload whether they run or not, so
  /// that the ledgers close.
  mutating func tell(_ i: Int, _ event: OSEvent, now: SimInstant) {
    system(i, .news(event, evenIfStopped: isDraining), now: now)
  }

  mutating func perform(
    _ effect: PhoneOS.Effect, of i: Int, _ os: inout PhoneOS, now: SimInstant
  ) {
    switch effect {
    case .tell(let event): answer(event, of: i, &os, now: now)
    case .located(let fix): count(fix, i, now: now)
    case .willChangePermission: account(i, &os, upTo: now)
    case .permission(let new):
      // The server hears of it with the next upload.
      phones[i].upload.isRegistered = false
      trace(i, at: now, .authorized(new))
    case .launched:
      figures.launches += 1
      phones[i].upload.answerIsLost = false
      phones[i].upload.isRegistered = false
    case .woken:
      figures.wakes += 1
      charge(i, .wake)
    case .resumed: hearLostAnswer(i, &os, now: now)
    case .stopped:
      loseAnswer(i, &os)
      pushRunEnded(i, now: now)
      pushWakeEnded(i, crashed: false, now: now)
    case .crashed(let reason): trace(i, at: now, .crashed(reason))
    case .killed:
      figures.kills += 1
      pushWakeEnded(i, crashed: true, now: now)
    case .pushRunOver: pushRunEnded(i, now: now)
    case .satellitesUsed: phones[i].pushes.usedSatellites = true
    case .drew(let draw, let time, let scans): charge(i, EnergyMeter(draw, for: time, scans: scans))
    case .scanned: charge(i, .scan)
    case .recallsSegment(let then):
      let segment = context.segment(of: os.id, cohort: Int(phones[i].cohort), at: then)
      system(i, &os, .recalled(segment, at: then), now: now)
    }
  }

  // MARK: The app

  /// One callback in, its commands performed in order, and what the system answers to them.
  private mutating func answer(
    _ event: OSEvent, of i: Int, _ os: inout PhoneOS, now: SimInstant
  ) {
    let kept = phones[i].outbox.count
    commands.removeAll()
    phones[i].tracker.handle(
      event, of: os.id, now: now, context.trackers[Int(phones[i].policy)], into: &commands)
    traceTold(i, &os, event, now: now)
    for k in 0..<commands.count { perform(commands[k], i, &os, now: now) }
    if os.turn.answers.rawValue != 0 { system(i, &os, .returned, now: now) }
    guard phones[i].outbox.count != kept else { return }
    switch event {
    case .location(let fix, _): pushFixTaken(i, fix, now: os.turn.instant)
    case .regionExited(_, cached: let fix?): pushFixTaken(i, fix, now: os.turn.instant)
    case .regionExited(_, cached: nil), .launched, .becameActive, .enteredBackground, .visit,
      .authorizationChanged, .motionActivity, .standardPaused, .settingsChanged, .silentPush,
      .timer, .backgroundTimeExpiring, .uploadFinished:
      break
    }
  }

  private mutating func perform(
    _ command: OSCommand, _ i: Int, _ os: inout PhoneOS, now: SimInstant
  ) {
    switch command {
    case .requestAuthorization, .startStandard, .stopStandard, .startSignificantChange,
      .stopSignificantChange, .startVisits, .stopVisits, .startMotionActivity, .monitorRegion,
      .stopMonitoringRegion, .setTimer, .cancelTimer, .beginBackgroundTask, .endBackgroundTask,
      .blockMainThread:
      system(i, &os, .command(command), now: now)
    case .persist(let fix):
      // What the phone's silence is charged to changes with its first waiting fix.
      if phones[i].outbox.count == 0 { account(i, &os, upTo: now) }
      pool.append(fix, to: &phones[i].outbox)
      figures.fixesPersisted += 1
    case .evictOldest(let cut):
      pool.remove(at: Int(cut), from: &phones[i].outbox)
      figures.fixesEvicted += 1
    case .upload(let sequence, let count):
      startUpload(i, &os, sequence, count, now: max(now, os.turn.instant))
    case .forget(let count, let result):
      forget(i, count, result)
    }
  }

  private mutating func count(_ fix: Fix, _ i: Int, now: SimInstant) {
    figures.fixesGenerated += 1
    let place =
      UInt64(UInt32(bitPattern: fix.coordinate.latitudeE6)) << 32
      | UInt64(UInt32(bitPattern: fix.coordinate.longitudeE6))
    phones[i].behaviour.combine(1, fix.time.instant, place ^ UInt64(fix.accuracyMeters) << 48)
  }

  /// A suspended or dead app's connections are gone: whatever comes, it will not hear it.
  private mutating func loseAnswer(_ i: Int, _ os: inout PhoneOS) {
    guard phones[i].tracker.isSending, !phones[i].upload.answerIsLost else { return }
    phones[i].upload.answerIsLost = true
    phones[i].upload.isInFlight = false
    os.due[.uploadOutcome] = .distantFuture
    figures.uploadsLost += 1
  }

  private mutating func hearLostAnswer(_ i: Int, _ os: inout PhoneOS, now: SimInstant) {
    guard phones[i].upload.answerIsLost else { return }
    phones[i].upload.answerIsLost = false
    let event = PhoneOS.Event.news(
      .uploadFinished(.connectionLost), evenIfStopped: isDraining)
    system(i, &os, event, now: now)
  }

  // MARK: Opened, woken, left

  mutating func openApp(_ i: Int, now: SimInstant) {
    if system(i, .opened, now: now) { deliverHeldPush(i, now: now) }
  }

  mutating func leaveApp(_ i: Int, now: SimInstant) { system(i, .left, now: now) }

  /// Gives the app time in the background. False: it may not run.
  mutating func wake(
    _ i: Int, _ reason: LaunchReason, now: SimInstant, asExtension: Bool = false
  ) -> Bool {
    system(i, .wake(reason, asExtension: asExtension), now: now)
  }

  mutating func forceQuit(_ i: Int, now: SimInstant) {
    if system(i, .swipedAway, now: now) { discardHeldPush(i, now: now) }
  }

  /// The event is over: what nothing holds is suspended.
  mutating func settle(_ i: Int, now: SimInstant) {
    system(i, .ended, now: now)
    let pushRunEnds = pushRunLimit(i)
    if pushRunEnds < phones[i].os.due[.backgroundExpiry] {
      phones[i].os.due[.backgroundExpiry] = max(pushRunEnds, now)
    }
  }
}
