internal import Figures
internal import Mobility
internal import Phone
internal import Scenarios
internal import SimulationCore
internal import Telemetry
internal import Tracker

/// Simulates one phone: its operating system and its app together, and the changes of its world.
/// The shard performs the system's effects, lets the app answer its callbacks, and hands the app's
/// commands back to the system at once.
///
/// While a system handles an event, the shard works on the `os` that it is lent, not on the
/// phone's.
extension Shard {
  /// Lets a phone's system handle an event.
  mutating func system(_ i: Int, _ event: PhoneOS.Event, now: SimInstant) {
    phones[i].os.handle(event, at: now, context.systems[place(i)]) { os, effect, instant in
      self.perform(effect, of: i, &os, now: instant)
    }
  }

  /// Lets the system handle an event from within an effect.
  mutating func system(_ i: Int, _ os: inout PhoneOS, _ event: PhoneOS.Event, now: SimInstant) {
    let place = context.system(
      of: os.id, cohort: Int(phones[i].cohort), policy: Int(phones[i].policy))
    os.handle(event, at: now, context.systems[place]) { os, effect, instant in
      self.perform(effect, of: i, &os, now: instant)
    }
  }

  /// Delivers an event to the app that does not come from its system.
  ///
  /// When a run drains, apps receive the outcome of their last upload whether they run or not, so
  /// that the ledgers close.
  mutating func notify(_ i: Int, _ event: OSEvent, now: SimInstant) {
    system(i, .appEvent(event, evenIfStopped: isDraining), now: now)
  }

  /// Counts an end of the app that nobody in it has caused (LC13–LC16).
  private mutating func note(
    _ cause: AppProcess.Ending, of i: Int, _ os: inout PhoneOS, now: SimInstant
  ) {
    // The cause of the phone's silence changes.
    account(i, &os, upTo: now)
    phones[i].behaviour.combine(6, now, UInt64(cause.rawValue))
    switch cause {
    case .none: break
    case .memory:
      metrics[.endedForMemory] += 1
      trace(i, at: now, .edge(.endedForMemory, begins: true))
    case .update:
      metrics[.updates] += 1
      trace(i, at: now, .edge(.updated, begins: true))
    case .reinstall:
      metrics[.reinstalls] += 1
      trace(i, at: now, .edge(.reinstalled, begins: true))
    }
  }

  mutating func perform(_ effect: PhoneOS.Effect, of i: Int, _ os: inout PhoneOS, now: SimInstant) {
    switch effect {
    case .notify(let event): answer(event, of: i, &os, now: now)
    case .located(let located):
      self.located = located
      count(located.fix, i, now: now)
    case .searchChanges: account(i, &os, upTo: now)
    case .willChangePermission: account(i, &os, upTo: now)
    case .permission(let new):
      // The next upload reports it to the server.
      phones[i].upload.isRegistered = false
      trace(i, at: now, .authorized(new))
    case .launched:
      metrics[.launches] += 1
      phones[i].upload.answerIsLost = false
      phones[i].upload.isRegistered = false
    case .woken:
      metrics[.wakes] += 1
      charge(i, &os, .wake)
    case .resumed: deliverLostAnswer(i, &os, now: now)
    case .stopped:
      loseAnswer(i, &os)
      pushWakeEnded(i, crashed: false, now: now)
    case .crashed(let reason): trace(i, at: now, .crashed(reason))
    case .killed:
      metrics[.kills] += 1
      pushWakeEnded(i, crashed: true, now: now)
    case .ends(let cause): note(cause, of: i, &os, now: now)
    case .push(let step): perform(step, of: i, &os, now: now)
    case .watchesPushGate: watchRestriction(i, &os, now: now)
    case .drew(let draw, let time, let scans):
      charge(i, &os, EnergyMeter(draw, for: time, scans: scans))
    case .scanned: charge(i, &os, .scan)
    case .charged(let flow): note(flow, i)
    case .hour(let hour, let percent): noteHour(hour, percent: percent, i)
    case .battery(let step): perform(step, of: i, &os, now: now)
    case .discharged(let time, let ranEmpty): noteDischarge(time, ranEmpty: ranEmpty, i)
    case .recallsSegment(let then):
      let segment = context.segment(of: os.id, cohort: Int(phones[i].cohort), at: then)
      system(i, &os, .recalled(segment, at: then), now: now)
    case .region(let step, let place): trace(i, at: now, .region(step, place: place))
    case .transfer(let step): perform(step, of: i, &os, now: now)
    case .consent(let step):
      // The cause of the phone's silence may change.
      account(i, &os, upTo: now)
      trace(i, at: now, .consent(step))
    }
  }

  // MARK: The app

  /// Delivers one callback, performs the app's commands in order, and gives the system's answers to
  /// them.
  private mutating func answer(_ event: OSEvent, of i: Int, _ os: inout PhoneOS, now: SimInstant) {
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
    case .regionExited(_, cached: let fix?), .placeEntered(_, cached: let fix?),
      .placeExited(_, cached: let fix?):
      pushFixTaken(i, fix, now: os.turn.instant)
    case .regionExited(_, cached: nil), .placeEntered(_, cached: nil),
      .placeExited(_, cached: nil), .regionsRefused, .launched, .becameActive, .enteredBackground,
      .visit,
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
      .stopMonitoringRegion, .monitorPlaces, .stopMonitoringPlaces, .setTimer, .cancelTimer,
      .beginBackgroundTask, .endBackgroundTask,
      .blockMainThread:
      system(i, &os, .command(command), now: now)
    case .persist(let fix):
      // The cause of the phone's silence changes with its first waiting fix.
      if phones[i].outbox.count == 0 { account(i, &os, upTo: now) }
      countSource(of: fix, i, os, now: now)
      // A position that the app reads of its manager is generated by that, as a delivered one is.
      if located?.fix != fix { metrics[.fixesGenerated] += 1 }
      pool.append(fix, to: &phones[i].outbox)
      metrics[.fixesPersisted] += 1
    case .evictOldest(let cut):
      pool.remove(at: Int(cut), from: &phones[i].outbox)
      metrics[.fixesEvicted] += 1
    case .upload(let sequence, let count):
      startUpload(i, &os, sequence, count, now: max(now, os.turn.instant))
    case .forget(let count, let result):
      forget(i, count, result)
    }
  }

  private mutating func count(_ fix: Fix, _ i: Int, now: SimInstant) {
    metrics[.fixesGenerated] += 1
    let place =
      UInt64(UInt32(bitPattern: fix.coordinate.latitudeE6)) << 32
      | UInt64(UInt32(bitPattern: fix.coordinate.longitudeE6))
    phones[i].behaviour.combine(1, fix.time.instant, place ^ UInt64(fix.accuracyMeters) << 48)
  }

  private mutating func countSource(
    of fix: Fix, _ i: Int, _ os: borrowing PhoneOS, now: SimInstant
  ) {
    let place = context.projection(of: os.id, cohort: Int(phones[i].cohort))
      .point(of: fix.coordinate)
    let truth: PlanePoint
    if let located, located.fix == fix, let known = located.truth {
      truth = known
      #if DEBUG
        let here = os.segment.position(at: now)
        precondition(truth == here, "a fix counts at the instant of its sighting")
      #endif
    } else {
      truth = os.segment.position(at: now)
    }
    metrics.sources.add(source(of: fix), offMeters: truth.distance(to: place))
  }

  /// Returns where a fix came from that the app has; one that is not of this event was kept by the
  /// system or by the app.
  func source(of fix: Fix) -> FixSource {
    located?.fix == fix ? located?.source ?? .cached : .cached
  }

  /// Drops the connections of a suspended or dead app, which receives no answer any more.
  private mutating func loseAnswer(_ i: Int, _ os: inout PhoneOS) {
    switch os.transfer.stage {
    case .none: break
    // NW1: The system's own process goes on.
    case .queued, .sending, .answered: return
    case .cancelled: return cancelUpload(i, &os)
    }
    guard phones[i].tracker.isSending, !phones[i].upload.answerIsLost else { return }
    phones[i].upload.answerIsLost = true
    phones[i].upload.isInFlight = false
    os.due[.uploadOutcome] = .distantFuture
    metrics[.uploadsLost] += 1
  }

  private mutating func deliverLostAnswer(_ i: Int, _ os: inout PhoneOS, now: SimInstant) {
    guard phones[i].upload.answerIsLost else { return }
    phones[i].upload.answerIsLost = false
    let event = PhoneOS.Event.appEvent(
      .uploadFinished(.connectionLost), evenIfStopped: isDraining)
    system(i, &os, event, now: now)
  }

  // MARK: Opened, left

  mutating func openApp(_ i: Int, now: SimInstant) { system(i, .opened, now: now) }
  mutating func leaveApp(_ i: Int, now: SimInstant) { system(i, .left, now: now) }

  mutating func forceQuit(_ i: Int, now: SimInstant) {
    system(i, .swipedAway, now: now)
    if phones[i].os.transfer.stage == .cancelled { cancelUpload(i, &phones[i].os) }
  }

  /// Ends the event, so that the system suspends the app if nothing keeps it running.
  mutating func suspendIfIdle(_ i: Int, now: SimInstant) { system(i, .ended, now: now) }

  // MARK: - The world

  // The person moves, the carrier fails, the owner opens the app. All of this is hashed into the
  // world digest, and none of it depends on tracker or server.

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
    // Without a SIM Wi-Fi is the only data path.
    if phones[i].traits.contains(.withoutSIM) { reconnect(i, now: now) }
  }

  mutating func airplaneEdge(_ i: Int, now: SimInstant) {
    account(i, upTo: now)
    var window = phones[i].os.airplane
    if window.end <= now || window == .never {
      window = context.people[Int(phones[i].cohort)].airplane(
        endingAfter: now, phone: phones[i].id, clock: context.clock)
    }
    phones[i].world.combine(7, now, window.contains(now) ? 1 : 0)
    trace(i, at: now, .edge(.airplane, begins: window.contains(now)))
    system(i, .airplane(window), now: now)
    if !window.contains(now) { reconnect(i, now: now) }
  }

  /// Handles the loss or the return of the data path; a push that waited is delivered on its
  /// return.
  mutating func offlineEdge(_ i: Int, now: SimInstant) {
    account(i, upTo: now)
    let cohort = Int(phones[i].cohort)
    var window = phones[i].os.offline
    let next = context.people[cohort].offline(
      endingAfter: now, phone: phones[i].id, cohort: cohort)
    // A scripted outage may begin during a random window, and the reverse, so the next window is
    // computed again.
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

  /// Handles the begin and the end of a time in which the owner swipes the app away after each use.
  mutating func forceQuitEdge(_ i: Int, now: SimInstant) {
    account(i, upTo: now)
    var window = phones[i].os.forceQuit
    let isEdge = !window.contains(now) || window.start == now
    if window.end <= now || window == .never {
      let ended = window.end <= now
      window = context.people[Int(phones[i].cohort)].forceQuit(
        endingAfter: now, phone: phones[i].id)
      phones[i].os.forceQuit = window
      if ended, phones[i].process.isForceQuit {
        trace(i, at: now, .edge(.forceQuit, begins: false))
        // The user launches the app and leaves it again at once.
        if phones[i].os.endForceQuit(at: now) {
          lookAtApp(i, now: now)
          lookAway(i, now: now)
        }
      }
    }
    if isEdge { phones[i].world.combine(5, now, window.contains(now) ? 1 : 0) }
    phones[i].os.due[.forceQuitEdge] = window.contains(now) ? window.end : window.start
    // An app in use is swiped away some time after its session.
    if window.contains(now), phones[i].process.state != .foreground { swipeAway(i, now: now) }
  }

  /// Lets the owner swipe the app away, if it is in the app switcher (LC12).
  private mutating func swipeAway(_ i: Int, now: SimInstant) {
    guard phones[i].process.canBeSwiped, !phones[i].process.isForceQuit else { return }
    account(i, upTo: now)
    trace(i, at: now, .edge(.forceQuit, begins: true))
    forceQuit(i, now: now)
  }

  /// Lets the owner open the app, which ends a force-quit (LC11).
  mutating func lookAtApp(_ i: Int, now: SimInstant) {
    if phones[i].isRemoved { return }
    trace(i, at: now, .edge(.lookedAt, begins: true))
    // Opening the app frees what waits at the system's discretion: silence has another cause.
    let isQueued = phones[i].os.transfer.stage == .queued
    if isQueued || phones[i].process.isForceQuit { account(i, upTo: now) }
    if phones[i].process.isForceQuit { trace(i, at: now, .edge(.forceQuit, begins: false)) }
    openApp(i, now: now)
  }

  mutating func lookAway(_ i: Int, now: SimInstant) {
    guard phones[i].process.state == .foreground else { return }
    trace(i, at: now, .edge(.lookedAt, begins: false))
    leaveApp(i, now: now)
  }

  private func session(_ i: Int, endingAfter now: SimInstant) -> Window {
    context.people[Int(phones[i].cohort)].session(
      endingAfter: now, phone: phones[i].id, clock: context.clock)
  }

  mutating func nextSession(_ i: Int, after now: SimInstant) {
    var next = session(i, endingAfter: now)
    // A session that has begun before the phone's history does is left out.
    if next.start < now { next = session(i, endingAfter: next.end) }
    phones[i].os.session = next
    phones[i].os.due[.session] = next.start
  }

  /// Lets the owner open the app, or leave it.
  mutating func sessionEdge(_ i: Int, now: SimInstant) {
    let window = phones[i].os.session
    phones[i].world.combine(6, now, window.contains(now) ? 1 : 0)
    if window.contains(now) {
      phones[i].os.due[.session] = window.end
      // Nobody uses a phone that is off.
      if !phones[i].os.isOff(at: now) { lookAtApp(i, now: now) }
    } else {
      lookAway(i, now: now)
      let habit = phones[i].os.forceQuit
      if habit.contains(now) {
        let swipe = context.people[Int(phones[i].cohort)].swipe(afterLeavingAt: now)
        phones[i].os.due[.forceQuitEdge] = min(swipe, habit.end)
      }
      let next = session(i, endingAfter: now)
      phones[i].os.session = next
      phones[i].os.due[.session] = next.start
    }
  }
}
