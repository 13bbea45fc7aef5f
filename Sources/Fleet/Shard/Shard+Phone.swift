internal import Core
internal import Phone
internal import Push
internal import Scenarios

/// Simulates one phone: its operating system, its app, and the changes of its world. The shard
/// performs the system's effects, lets the app answer its callbacks, and hands the app's commands
/// back to the system at once.
extension Shard {
  mutating func system(_ phone: inout Device, _ event: Device.Event, now: SimInstant) {
    let place = context.system(of: phone)
    phone.handle(event, at: now, context.systems[place]) { phone, effect, instant in
      self.perform(effect, of: &phone, now: instant)
    }
  }

  /// Counts an end of the app that nobody in it has caused (LC13–LC16).
  private mutating func note(_ cause: AppProcess.Ending, of phone: inout Device, now: SimInstant) {
    // The cause of the phone's silence changes.
    account(&phone, upTo: now)
    phone.behaviour.combine(6, now, UInt64(cause.rawValue))
    switch cause {
    case .none: break
    case .memory:
      metrics[.endedForMemory] += 1
      trace(phone.id, at: now, .edge(.endedForMemory, begins: true))
    case .update:
      metrics[.updates] += 1
      trace(phone.id, at: now, .edge(.updated, begins: true))
    case .reinstall:
      metrics[.reinstalls] += 1
      trace(phone.id, at: now, .edge(.reinstalled, begins: true))
    }
  }

  mutating func perform(_ effect: Device.Effect, of phone: inout Device, now: SimInstant) {
    switch effect {
    case .notify(let event): answer(event, of: &phone, now: now)
    case .located(let located):
      self.located = located
      count(located.fix, &phone, now: now)
    case .silenceChanges: account(&phone, upTo: now)
    case .permission(let new): trace(phone.id, at: now, .authorized(new))
    case .launched: metrics[.launches] += 1
    case .woken:
      metrics[.wakes] += 1
      charge(&phone, .wake)
    case .stopped: advancePush(&phone, .wakeEnded(crashed: false), now: now)
    case .uploadLost: metrics[.uploadsLost] += 1
    case .crashed(let reason): trace(phone.id, at: now, .crashed(reason))
    case .killed:
      metrics[.kills] += 1
      advancePush(&phone, .wakeEnded(crashed: true), now: now)
    case .ends(let cause): note(cause, of: &phone, now: now)
    case .push(let step): perform(step, of: &phone, now: now)
    case .drew(let draw, let time, let scans):
      charge(&phone, EnergyMeter(draw, for: time, scans: scans))
    case .scanned: charge(&phone, .scan)
    case .charged(let flow): note(flow, &phone)
    case .hour(let hour, let percent): noteHour(hour, percent: percent, &phone)
    case .battery(let step): perform(step, of: &phone, now: now)
    case .discharged(let time, let ranEmpty): noteDischarge(time, ranEmpty: ranEmpty, &phone)
    case .recallsSegment(let then):
      let segment = context.segment(of: phone.id, cohort: Int(phone.cohort), at: then)
      system(&phone, .recalled(segment, at: then), now: now)
    case .region(let step, let place): trace(phone.id, at: now, .region(step, place: place))
    case .transfer(let step): perform(step, of: &phone, now: now)
    case .consent(let step):
      // The cause of the phone's silence may change.
      account(&phone, upTo: now)
      trace(phone.id, at: now, .consent(step))
    }
  }

  // MARK: The app

  private mutating func answer(_ event: OSEvent, of phone: inout Device, now: SimInstant) {
    let kept = phone.outbox.count
    commands.removeAll()
    phone.tracker.handle(
      event, of: phone.id, now: now, context.trackers[Int(phone.policy)], into: &commands)
    traceDelivery(&phone, event, now: now)
    for k in 0..<commands.count { perform(commands[k], &phone, now: now) }
    if phone.turn.answers.rawValue != 0 { system(&phone, .returned, now: now) }
    guard phone.outbox.count != kept else { return }
    switch event {
    case .location(let fix, _): pushFixTaken(&phone, fix, now: phone.turn.instant)
    case .regionExited(_, cached: let fix?), .placeEntered(_, cached: let fix?),
      .placeExited(_, cached: let fix?):
      pushFixTaken(&phone, fix, now: phone.turn.instant)
    case .regionExited(_, cached: nil), .placeEntered(_, cached: nil),
      .placeExited(_, cached: nil), .regionsRefused, .launched, .becameActive, .enteredBackground,
      .visit,
      .authorizationChanged, .motionActivity, .standardPaused, .settingsChanged, .silentPush,
      .timer, .backgroundTimeExpiring, .uploadFinished:
      break
    }
  }

  private mutating func perform(_ command: OSCommand, _ phone: inout Device, now: SimInstant) {
    switch command {
    case .requestAuthorization, .startStandard, .stopStandard, .startSignificantChange,
      .stopSignificantChange, .startVisits, .stopVisits, .startMotionActivity, .monitorRegion,
      .stopMonitoringRegion, .monitorPlaces, .stopMonitoringPlaces, .setTimer, .cancelTimer,
      .beginBackgroundTask, .endBackgroundTask,
      .blockMainThread:
      system(&phone, .command(command), now: now)
    case .persist(let fix):
      // The cause of the phone's silence changes with its first waiting fix.
      if phone.outbox.count == 0 { account(&phone, upTo: now) }
      countSource(of: fix, &phone, now: now)
      // A position that the app reads of its manager is generated by that, as a delivered one is.
      if located?.fix != fix { metrics[.fixesGenerated] += 1 }
      pool.append(fix, to: &phone.outbox)
      metrics[.fixesPersisted] += 1
    case .evictOldest(let cut):
      pool.remove(at: Int(cut), from: &phone.outbox)
      metrics[.fixesEvicted] += 1
    case .upload(let sequence, let count):
      startUpload(&phone, sequence, count, now: max(now, phone.turn.instant))
    case .forget(let count, let result):
      forget(&phone, count, result)
    }
  }

  private mutating func count(_ fix: Fix, _ phone: inout Device, now: SimInstant) {
    metrics[.fixesGenerated] += 1
    let place =
      UInt64(UInt32(bitPattern: fix.coordinate.latitudeE6)) << 32
      | UInt64(UInt32(bitPattern: fix.coordinate.longitudeE6))
    phone.behaviour.combine(1, fix.time.instant, place ^ UInt64(fix.accuracyMeters) << 48)
  }

  private mutating func countSource(of fix: Fix, _ phone: inout Device, now: SimInstant) {
    let place = context.projection(of: phone.id, cohort: Int(phone.cohort))
      .point(of: fix.coordinate)
    let truth: PlanePoint
    if let located, located.fix == fix, let known = located.truth {
      truth = known
      #if DEBUG
        let here = phone.segment.position(at: now)
        precondition(truth == here, "a fix counts at the instant of its sighting")
      #endif
    } else {
      truth = phone.segment.position(at: now)
    }
    metrics.sources.add(located.source(of: fix), offMeters: truth.distance(to: place))
  }

  mutating func suspendIfIdle(_ phone: inout Device, now: SimInstant) {
    system(&phone, .ended, now: now)
  }

  // MARK: - The world

  // The person moves, the carrier fails, the owner opens the app. All of this is hashed into the
  // world digest, and none of it depends on tracker or server.

  mutating func segmentEnded(_ phone: inout Device, now: SimInstant) {
    account(&phone, upTo: now)
    let next = context.segment(of: phone.id, cohort: Int(phone.cohort), at: phone.segment.end)
    enterSegment(&phone, next, now: now)
  }

  mutating func enterSegment(_ phone: inout Device, _ segment: Segment, now: SimInstant) {
    let cohort = Int(phone.cohort)
    let wifi = context.people[cohort].isOnWifi(
      segmentStart: segment.start, moving: segment.isMoving, phone: phone.id)
    trace(phone.id, at: now, .truth(segment, wifi: wifi))
    let target = context.projection(of: phone.id, cohort: cohort)
      .coordinate(of: segment.position(at: segment.end))
    phone.world.combine(
      2, segment.end,
      UInt64(UInt32(bitPattern: target.latitudeE6)) << 32
        | UInt64(UInt32(bitPattern: target.longitudeE6)) ^ (wifi ? 1 : 0))
    system(&phone, .entered(segment, wifi: wifi), now: now)
    // Without a SIM Wi-Fi is the only data path.
    if phone.traits.contains(.withoutSIM) { reconnect(&phone, now: now) }
  }

  mutating func airplaneEdge(_ phone: inout Device, now: SimInstant) {
    account(&phone, upTo: now)
    var window = phone.airplane
    if window.isOver(at: now) {
      window = context.people[Int(phone.cohort)].airplane(
        endingAfter: now, phone: phone.id, clock: context.clock)
    }
    edge(of: window, .airplane, 7, &phone, .airplane(window), now: now)
  }

  mutating func offlineEdge(_ phone: inout Device, now: SimInstant) {
    account(&phone, upTo: now)
    let cohort = Int(phone.cohort)
    var window = phone.offline
    let next = context.people[cohort].offline(endingAfter: now, phone: phone.id, cohort: cohort)
    // A scripted outage may begin during a random window, and the reverse, so the next window is
    // computed again.
    if window.isOver(at: now) || next.contains(now) { window = next }
    edge(of: window, .offline, 3, &phone, .offline(window), now: now)
  }

  mutating func powerEdge(_ phone: inout Device, now: SimInstant) {
    account(&phone, upTo: now)
    var window = phone.switchedOff
    if window.isOver(at: now) {
      window = context.people[Int(phone.cohort)].switchedOff(endingAfter: now, phone: phone.id)
    }
    edge(of: window, .switchedOff, 4, &phone, .switchedOff(window), now: now)
  }

  /// Begins or ends a window in which the phone cannot be reached; a waiting push is delivered at
  /// its end.
  private mutating func edge(
    of window: Window, _ edge: TraceEvent.Edge, _ tag: UInt8, _ phone: inout Device,
    _ event: Device.Event, now: SimInstant
  ) {
    let begins = window.contains(now)
    phone.world.combine(tag, now, begins ? 1 : 0)
    trace(phone.id, at: now, .edge(edge, begins: begins))
    system(&phone, event, now: now)
    if !begins { reconnect(&phone, now: now) }
  }

  mutating func forceQuitEdge(_ phone: inout Device, now: SimInstant) {
    account(&phone, upTo: now)
    var window = phone.forceQuit
    let isEdge = !window.contains(now) || window.start == now
    if window.isOver(at: now) {
      let ended = window.end <= now
      window = context.people[Int(phone.cohort)].forceQuit(endingAfter: now, phone: phone.id)
      phone.forceQuit = window
      if ended, phone.process.isForceQuit {
        trace(phone.id, at: now, .edge(.forceQuit, begins: false))
        // The user launches the app and leaves it again at once.
        if phone.endForceQuit(at: now) {
          lookAtApp(&phone, now: now)
          lookAway(&phone, now: now)
        }
      }
    }
    if isEdge { phone.world.combine(5, now, window.contains(now) ? 1 : 0) }
    phone.due[.forceQuitEdge] = window.contains(now) ? window.end : window.start
    // An app in use is swiped away some time after its session.
    if window.contains(now), phone.process.state != .foreground { swipeAway(&phone, now: now) }
  }

  /// Swipes the app away, if it is in the app switcher (LC12).
  private mutating func swipeAway(_ phone: inout Device, now: SimInstant) {
    guard phone.process.canBeSwiped, !phone.process.isForceQuit else { return }
    account(&phone, upTo: now)
    trace(phone.id, at: now, .edge(.forceQuit, begins: true))
    system(&phone, .swipedAway, now: now)
  }

  /// Opens the app for its owner, which ends a force-quit (LC11).
  mutating func lookAtApp(_ phone: inout Device, now: SimInstant) {
    if phone.isRemoved { return }
    trace(phone.id, at: now, .edge(.lookedAt, begins: true))
    // Opening the app frees what waits at the system's discretion: silence has another cause.
    let isQueued = phone.transfer.stage == .queued
    if isQueued || phone.process.isForceQuit { account(&phone, upTo: now) }
    if phone.process.isForceQuit { trace(phone.id, at: now, .edge(.forceQuit, begins: false)) }
    system(&phone, .opened, now: now)
  }

  mutating func lookAway(_ phone: inout Device, now: SimInstant) {
    guard phone.process.state == .foreground else { return }
    trace(phone.id, at: now, .edge(.lookedAt, begins: false))
    system(&phone, .left, now: now)
  }

  private func session(_ phone: inout Device, endingAfter now: SimInstant) -> Window {
    context.people[Int(phone.cohort)].session(
      endingAfter: now, phone: phone.id, clock: context.clock)
  }

  mutating func nextSession(_ phone: inout Device, after now: SimInstant) {
    var next = session(&phone, endingAfter: now)
    // A session that has begun before the phone's history does is left out.
    if next.start < now { next = session(&phone, endingAfter: next.end) }
    phone.session = next
    phone.due[.session] = next.start
  }

  mutating func sessionEdge(_ phone: inout Device, now: SimInstant) {
    let window = phone.session
    phone.world.combine(6, now, window.contains(now) ? 1 : 0)
    if window.contains(now) {
      phone.due[.session] = window.end
      // Nobody uses a phone that is off.
      if !phone.isOff(at: now) { lookAtApp(&phone, now: now) }
    } else {
      lookAway(&phone, now: now)
      let habit = phone.forceQuit
      if habit.contains(now) {
        let swipe = context.people[Int(phone.cohort)].swipe(afterLeavingAt: now)
        phone.due[.forceQuitEdge] = min(swipe, habit.end)
      }
      let next = session(&phone, endingAfter: now)
      phone.session = next
      phone.due[.session] = next.start
    }
  }
}

extension Window {
  fileprivate func isOver(at now: SimInstant) -> Bool { end <= now || self == .never }
}
