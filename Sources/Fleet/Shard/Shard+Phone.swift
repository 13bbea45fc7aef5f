internal import Mobility
internal import Phone
internal import Scenarios
internal import SimulationCore
internal import Telemetry
internal import Tracker

/// One phone's life: its operating system and its app, run together, and what the world does to it.
/// The system's effects are performed, the app answers its callbacks, and what it asks goes back to
/// the system at once.
///
/// While a system handles an event, the shard works on the `os` that it is lent, not on the
/// phone's.
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
  mutating func notify(_ i: Int, _ event: OSEvent, now: SimInstant) {
    system(i, .appEvent(event, evenIfStopped: isDraining), now: now)
  }

  mutating func perform(
    _ effect: PhoneOS.Effect, of i: Int, _ os: inout PhoneOS, now: SimInstant
  ) {
    switch effect {
    case .notify(let event): answer(event, of: i, &os, now: now)
    case .located(let fix): count(fix, i, now: now)
    case .willChangePermission: account(i, &os, upTo: now)
    case .permission(let new):
      // The server hears of it with the next upload.
      phones[i].upload.isRegistered = false
      trace(i, at: now, .authorized(new))
    case .launched:
      metrics.launches += 1
      phones[i].upload.answerIsLost = false
      phones[i].upload.isRegistered = false
    case .woken:
      metrics.wakes += 1
      charge(i, .wake)
    case .resumed: deliverLostAnswer(i, &os, now: now)
    case .stopped:
      loseAnswer(i, &os)
      pushRunEnded(i, now: now)
      pushWakeEnded(i, crashed: false, now: now)
    case .crashed(let reason): trace(i, at: now, .crashed(reason))
    case .killed:
      metrics.kills += 1
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
    traceDelivery(i, &os, event, now: now)
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
      metrics.fixesPersisted += 1
    case .evictOldest(let cut):
      pool.remove(at: Int(cut), from: &phones[i].outbox)
      metrics.fixesEvicted += 1
    case .upload(let sequence, let count):
      startUpload(i, &os, sequence, count, now: max(now, os.turn.instant))
    case .forget(let count, let result):
      forget(i, count, result)
    }
  }

  private mutating func count(_ fix: Fix, _ i: Int, now: SimInstant) {
    metrics.fixesGenerated += 1
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
    metrics.uploadsLost += 1
  }

  private mutating func deliverLostAnswer(_ i: Int, _ os: inout PhoneOS, now: SimInstant) {
    guard phones[i].upload.answerIsLost else { return }
    phones[i].upload.answerIsLost = false
    let event = PhoneOS.Event.appEvent(
      .uploadFinished(.connectionLost), evenIfStopped: isDraining)
    system(i, &os, event, now: now)
  }

  // MARK: Opened, woken, left

  mutating func openApp(_ i: Int, now: SimInstant) {
    if system(i, .opened, now: now) { deliverDeferredPush(i, now: now) }
  }

  mutating func leaveApp(_ i: Int, now: SimInstant) { system(i, .left, now: now) }

  /// Gives the app time in the background. False: it may not run.
  mutating func wake(
    _ i: Int, _ reason: LaunchReason, now: SimInstant, asExtension: Bool = false
  ) -> Bool {
    system(i, .wake(reason, asExtension: asExtension), now: now)
  }

  mutating func forceQuit(_ i: Int, now: SimInstant) {
    if system(i, .swipedAway, now: now) { discardDeferredPush(i, now: now) }
  }

  /// The event is over: what nothing holds is suspended.
  mutating func suspendIfIdle(_ i: Int, now: SimInstant) {
    system(i, .ended, now: now)
    let pushRunEnds = pushRunLimit(i)
    if pushRunEnds < phones[i].os.due[.backgroundExpiry] {
      phones[i].os.due[.backgroundExpiry] = max(pushRunEnds, now)
    }
  }

  // MARK: - The world

  // Its person moves, its carrier fails, its owner opens the app. All of it is hashed into the
  // world digest; none of it depends on tracker or server.

  mutating func segmentEnded(_ i: Int, now: SimInstant) {
    account(i, upTo: now)
    let next = context.segment(
      of: phones[i].id, cohort: Int(phones[i].cohort), at: phones[i].os.segment.end)
    enterSegment(i, next, now: now)
  }

  mutating func enterSegment(_ i: Int, _ segment: Segment, now: SimInstant) {
    let cohort = Int(phones[i].cohort)
    let wifi = context.people[cohort].isOnWifi(
      segmentStart: segment.start, moving: segment.isMoving, phone: phones[i].id)
    trace(i, at: now, .truth(segment, wifi: wifi))
    let target = context.projection(of: phones[i].id, cohort: cohort)
      .coordinate(of: segment.position(at: segment.end))
    phones[i].world.combine(
      2, segment.end,
      UInt64(UInt32(bitPattern: target.latitudeE6)) << 32
        | UInt64(UInt32(bitPattern: target.longitudeE6)) ^ (wifi ? 1 : 0))
    system(i, .entered(segment, wifi: wifi), now: now)
    // Without a SIM the way out is Wi-Fi alone.
    if phones[i].traits.contains(.withoutSIM) { reconnect(i, now: now) }
  }

  mutating func airplaneEdge(_ i: Int, now: SimInstant) {
    account(i, upTo: now)
    var window = phones[i].os.airplane
    if window.end <= now || window == .never {
      window = context.people[Int(phones[i].cohort)].airplane(
        endingAfter: now, phone: phones[i].id, clock: context.scenario.clock)
    }
    phones[i].world.combine(7, now, window.contains(now) ? 1 : 0)
    trace(i, at: now, .edge(.airplane, begins: window.contains(now)))
    system(i, .airplane(window), now: now)
    if !window.contains(now) { reconnect(i, now: now) }
  }

  /// The data path is lost or comes back; a push that waited is delivered then.
  mutating func offlineEdge(_ i: Int, now: SimInstant) {
    account(i, upTo: now)
    let cohort = Int(phones[i].cohort)
    var window = phones[i].os.offline
    let next = context.people[cohort].offline(
      endingAfter: now, phone: phones[i].id, cohort: cohort)
    // A scripted outage may begin while a chance window lasts, and the reverse: look again.
    if window.end <= now || window == .never || next.contains(now) { window = next }
    phones[i].world.combine(3, now, window.contains(now) ? 1 : 0)
    trace(i, at: now, .edge(.offline, begins: window.contains(now)))
    system(i, .offline(window), now: now)
    if !window.contains(now) { reconnect(i, now: now) }
  }

  mutating func powerEdge(_ i: Int, now: SimInstant) {
    account(i, upTo: now)
    var window = phones[i].os.switchedOff
    if window.end <= now || window == .never {
      window = context.people[Int(phones[i].cohort)].switchedOff(
        endingAfter: now, phone: phones[i].id)
    }
    phones[i].world.combine(4, now, window.contains(now) ? 1 : 0)
    trace(i, at: now, .edge(.switchedOff, begins: window.contains(now)))
    system(i, .switchedOff(window), now: now)
    if !window.contains(now) { reconnect(i, now: now) }
  }

  /// The owner swipes the app away, or opens it again.
  mutating func forceQuitEdge(_ i: Int, now: SimInstant) {
    account(i, upTo: now)
    var window = phones[i].os.forceQuit
    if window.end <= now || window == .never {
      let ended = window.end <= now
      window = context.people[Int(phones[i].cohort)].forceQuit(
        endingAfter: now, phone: phones[i].id)
      phones[i].os.forceQuit = window
      if ended, phones[i].os.endForceQuit(at: now) {
        // A short look: the app is launched by its user and left again.
        openApp(i, now: now)
        leaveApp(i, now: now)
      }
    }
    phones[i].world.combine(5, now, window.contains(now) ? 1 : 0)
    trace(i, at: now, .edge(.forceQuit, begins: window.contains(now)))
    phones[i].os.due[.forceQuitEdge] = window.contains(now) ? window.end : window.start
    if window.contains(now) { forceQuit(i, now: now) }
  }

  private func session(_ i: Int, endingAfter now: SimInstant) -> Window {
    context.people[Int(phones[i].cohort)].session(
      endingAfter: now, phone: phones[i].id, clock: context.scenario.clock)
  }

  mutating func nextSession(_ i: Int, after now: SimInstant) {
    var next = session(i, endingAfter: now)
    // A session that runs already when the phone's life begins is left out.
    if next.start < now { next = session(i, endingAfter: next.end) }
    phones[i].os.session = next
    phones[i].os.due[.session] = next.start
  }

  /// The owner opens the app, or leaves it.
  mutating func sessionEdge(_ i: Int, now: SimInstant) {
    let window = phones[i].os.session
    phones[i].world.combine(6, now, window.contains(now) ? 1 : 0)
    trace(i, at: now, .edge(.lookedAt, begins: window.contains(now)))
    if window.contains(now) {
      phones[i].os.due[.session] = window.end
      // While the app is force-quit its owner does not use it; a phone that is off neither.
      if phones[i].switchedOff.contains(now) || phones[i].process.isForceQuit { return }
      openApp(i, now: now)
    } else {
      leaveApp(i, now: now)
      let next = session(i, endingAfter: now)
      phones[i].os.session = next
      phones[i].os.due[.session] = next.start
    }
  }
}
