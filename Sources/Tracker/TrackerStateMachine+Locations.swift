internal import Phone
internal import Scenarios
internal import SimulationCore
internal import Telemetry

// What brings locations, and what the app makes of them: fixes, wakes, visits, pushes.

extension TrackerStateMachine {
  mutating func standardFix(
    _ fix: Fix, _ now: SimInstant, _ context: borrowing Context, _ out: inout CommandList
  ) {
    guard !memory.isInert else { return }
    memory.isPaused = false
    let filter = filter(context)
    let isSound = filter.isSound(fix, now: now)
    let isKept = keep(fix, now, context, &out)
    if isSound {
      memory.newest = fix.coordinate
      feelMotion(fix, now, context, &out)
    }
    switch memory.standard {
    case .off, .timed: break
    // NO3: the old point that a start may bring is no first fix; a vague new one is.
    case .waiting: if now - fix.time.instant <= filter.maxAge { firstFix(now, context, &out) }
    case .asking: if isSound { endAsking(isKept: isKept, now, context, &out) }
    case .steady:
      if isSound { stretch(fix, context, &out) }
      if isKept { keptOnTheWay(now, context, &out) }
    }
  }

  /// The service stays on: a pending push's answer goes out at once, the rest when it may.
  private mutating func keptOnTheWay(
    _ now: SimInstant, _ context: borrowing Context, _ out: inout CommandList
  ) {
    if memory.pushIsPending {
      memory.pushIsPending = false
      trySend(now, context, force: true, &out)
    } else {
      sendWhenAllowed(now, context, &out)
    }
  }

  /// The one location that was asked for is there.
  private mutating func endAsking(
    isKept: Bool, _ now: SimInstant, _ context: borrowing Context, _ out: inout CommandList
  ) {
    steady(context, &out)
    if isKept { keptOnTheWay(now, context, &out) }
    release(context, &out)
  }

  /// HY3: while a burst or the foreground's service runs, what the imprecise manager brings is
  /// ignored; else it first changes the tracking, then passes the filter.
  mutating func impreciseFix(
    _ fix: Fix, _ now: SimInstant, _ context: borrowing Context, _ out: inout CommandList
  ) {
    guard !memory.isInert else { return }
    if standardIsOn && (memory.isForeground || !use(context).pattern.runsByItself) { return }
    keep(fix, now, context, &out)
    memory.newest = fix.coordinate
    woken(at: fix.coordinate, now, context, &out)
  }

  /// HY3: the position by which the system found the phone outside is an imprecise one like others.
  mutating func leftRegion(
    _ cached: Fix?, _ now: SimInstant, _ context: borrowing Context, _ out: inout CommandList
  ) {
    if let cached {
      impreciseFix(cached, now, context, &out)
    } else {
      woken(at: nil, now, context, &out)
    }
  }

  /// VI3: a visit that was told before is stored already, and only that one.
  mutating func visited(
    _ visit: Visit, _ now: SimInstant, _ context: borrowing Context, _ out: inout CommandList
  ) {
    guard !memory.isInert, visit.key != lastVisit else { return }
    lastVisit = visit.key
    if visit.hasEnded {
      impreciseFix(visit.fix, now, context, &out)
    } else {
      arrived(visit.fix, now, context, &out)
    }
  }

  /// RG4: a wake re-enables the standard service if it may run again, else renews the region.
  mutating func woken(
    at coordinate: Coordinate?, _ now: SimInstant, _ context: borrowing Context,
    _ out: inout CommandList
  ) {
    guard !memory.isInert else { return }
    holdBackgroundTask(context, &out)
    endStillRest(now, context, &out)
    if use(context).pattern.runsByItself {
      // What the system suspended or paused is asked for again; a running service takes no notice.
      resume(now, context, &out)
      keepRegion(coordinate ?? here, context, &out)
      trySend(now, context, force: false, &out)
    } else if !standardIsOn {
      startStandard(now, context, force: false, &out)
      if !standardIsOn {
        keepRegion(coordinate ?? here, context, &out)
        trySend(now, context, force: false, &out)
      }
    }
    release(context, &out)
  }

  /// SP2: a push gives time for a position and a send.
  mutating func pushed(
    _ cached: Fix?, _ now: SimInstant, _ context: borrowing Context, _ out: inout CommandList
  ) {
    holdBackgroundTask(context, &out)
    switch context.settings.onPush {
    case .nothing: break
    case .cached:
      if let cached { keep(cached, now, context, &out) }
      trySend(now, context, force: true, &out)
    case .burst:
      memory.pushIsPending = true
      switch memory.standard {
      case .off: startStandard(now, context, force: true, &out)
      case .steady: askIfFiltered(now, context, &out)
      case .waiting, .timed, .asking: break
      }
    }
    release(context, &out)
  }

  /// - Returns: whether the fix is in the outbox now.
  @discardableResult
  mutating func keep(
    _ fix: Fix, _ now: SimInstant, _ context: borrowing Context, _ out: inout CommandList
  ) -> Bool {
    // A push asks "where are you now?": what answers it is kept, moved or not.
    let answersPush = memory.pushIsPending && memory.standard != .timed
    guard
      filter(context).accepts(fix, after: lastAccepted, now: now, always: answersPush)
    else { return false }
    lastAccepted = fix
    if outboxCount >= UInt16(clamping: context.settings.outbox.capacity) {
      guard outboxCount > cutCount else { return false }
      out.append(.evictOldest(after: cutCount))
      outboxCount -= 1
    }
    out.append(.persist(fix))
    outboxCount += 1
    return true
  }

  /// Where the phone was last known to be, whether or not the filter accepted that fix.
  var here: Coordinate? { memory.newest ?? lastAccepted?.coordinate }

  func keepRegion(
    _ centre: Coordinate?, _ context: borrowing Context, _ out: inout CommandList
  ) {
    guard let radius = context.settings.regionRadius, let centre else { return }
    out.append(.monitorRegion(centre: centre, radius: radius))
  }
}

extension Visit {
  /// VI2, VI3: both dates. Either may be the sentinel, and `arrival || departure` would store every
  /// visit of unknown arrival under `distantPast`.
  struct Key: Equatable, Sendable, BitwiseCopyable {
    let arrival: SimInstant
    let departure: SimInstant
  }

  var key: Key { Key(arrival: arrival, departure: departure) }
}

// How the tracker finds out that its phone rests, and what it does then (AC5; rule book 2.3).

extension TrackerStateMachine {
  /// AC5: active while the motion activity is one that the policy names; unknown rests. AC6: the
  /// session is never stopped for it, it is given other settings.
  mutating func moved(
    _ activity: MotionActivity?, _ now: SimInstant, _ context: borrowing Context,
    _ out: inout CommandList
  ) {
    guard !memory.isInert, let rest = rest(context) else { return }
    switch rest.sign {
    case .motion(let active):
      let isResting = !(activity.map { active.contains($0) } ?? false)
      guard isResting != memory.isResting else { return }
      memory.isResting = isResting
      if isResting { markRest(at: lastAccepted?.coordinate, rest, &out) }
      changeUse(now, context, &out)
    case .still:
      guard let activity, MotionActivities.moving.contains(activity) else { return }
      endStillRest(now, context, &out)
      changeUse(now, context, &out)
    }
  }

  /// The service of now in place of the one before; a lasting session goes on with new settings.
  private mutating func changeUse(
    _ now: SimInstant, _ context: borrowing Context, _ out: inout CommandList
  ) {
    switch use(context).pattern {
    case .off, .burst: stopStandard(&out)
    case .continuous:
      if memory.standard == .waiting || memory.standard == .timed { stopStandard(&out) }
      if memory.standard != .asking { steady(context, &out) }
    case .dutyCycle, .polled:
      stopStandard(&out)
      startStandard(now, context, force: false, &out)
    }
    release(context, &out)
  }

  private func markRest(
    at coordinate: Coordinate?, _ rest: RestRule, _ out: inout CommandList
  ) {
    guard let radius = rest.regionRadius, let coordinate else { return }
    out.append(.monitorRegion(centre: coordinate, radius: radius))
  }

  /// Each fix farther from the anchor than the rule allows moves the anchor, and begins the time
  /// anew.
  mutating func feelMotion(
    _ fix: Fix, _ now: SimInstant, _ context: borrowing Context, _ out: inout CommandList
  ) {
    guard let rest = rest(context), case .still(_, let within) = rest.sign else { return }
    if let anchor = memory.restAnchor,
      fix.coordinate.distanceMeters(to: anchor) <= within.meters
    {
      return
    }
    memory.restAnchor = fix.coordinate
    if memory.isResting {
      memory.isResting = false
      changeUse(now, context, &out)
    }
    memory.stillIsTimed = false
    armStill(now, context, &out)
  }

  /// Begins the time after which a phone that has not moved rests, unless it runs.
  mutating func armStill(
    _ now: SimInstant, _ context: borrowing Context, _ out: inout CommandList
  ) {
    guard let rest = rest(context), case .still(let time, _) = rest.sign else { return }
    guard !memory.stillIsTimed, !memory.isResting else { return }
    memory.stillIsTimed = true
    out.append(.setTimer(.still, at: now + time))
  }

  mutating func cancelStill(_ out: inout CommandList) {
    guard memory.stillIsTimed else { return }
    memory.stillIsTimed = false
    out.append(.cancelTimer(.still))
  }

  mutating func stillTimer(
    _ now: SimInstant, _ context: borrowing Context, _ out: inout CommandList
  ) {
    guard memory.stillIsTimed else { return }
    beginStillRest(at: lastAccepted?.coordinate, now, context, &out)
  }

  /// The phone rests: what there is to tell is told, the service changes, a region waits.
  private mutating func beginStillRest(
    at coordinate: Coordinate?, _ now: SimInstant, _ context: borrowing Context,
    _ out: inout CommandList
  ) {
    cancelStill(&out)
    guard !memory.isResting, let rest = rest(context) else { return }
    memory.isResting = true
    markRest(at: coordinate, rest, &out)
    trySend(now, context, force: true, &out)
    changeUse(now, context, &out)
  }

  /// A region exit, a significant change, a departure: the phone moves again.
  mutating func endStillRest(
    _ now: SimInstant, _ context: borrowing Context, _ out: inout CommandList
  ) {
    guard let rest = rest(context), case .still = rest.sign else { return }
    if memory.isResting {
      memory.isResting = false
      memory.restAnchor = nil
    }
    armStill(now, context, &out)
  }

  /// VI1: an arrival is a rest that the system noticed.
  mutating func arrived(
    _ fix: Fix, _ now: SimInstant, _ context: borrowing Context, _ out: inout CommandList
  ) {
    guard let rest = rest(context), case .still = rest.sign, !memory.isForeground else {
      return impreciseFix(fix, now, context, &out)
    }
    holdBackgroundTask(context, &out)
    keep(fix, now, context, &out)
    if memory.isResting {
      trySend(now, context, force: false, &out)
    } else {
      beginStillRest(at: fix.coordinate, now, context, &out)
    }
    release(context, &out)
  }

  /// Opening the app shows that the phone is in its owner's hand.
  mutating func noticeOpening(_ context: borrowing Context, _ out: inout CommandList) {
    reviewRest(context, &out)
    if let rest = rest(context), case .still = rest.sign { memory.isResting = false }
  }

  /// A mode without a rule of rest knows none.
  mutating func reviewRest(_ context: borrowing Context, _ out: inout CommandList) {
    guard let rest = rest(context) else {
      memory.isResting = false
      return cancelStill(&out)
    }
    switch rest.sign {
    case .motion: cancelStill(&out)
    case .still: break
    }
  }
}
