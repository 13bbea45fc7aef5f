internal import Core
internal import Scenarios

// Handles every event with a location: fixes, wakes, visits, pushes.

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
    // NO3: An old position at a start is not a first fix, but an inaccurate new one is.
    case .waiting: if now - fix.time.instant <= filter.maxAge { firstFix(now, context, &out) }
    case .asking: if isSound { endAsking(isKept: isKept, now, context, &out) }
    case .steady:
      if isSound { stretch(fix, context, &out) }
      if isKept { keptOnTheWay(now, context, &out) }
    }
  }

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

  private mutating func endAsking(
    isKept: Bool, _ now: SimInstant, _ context: borrowing Context, _ out: inout CommandList
  ) {
    steady(context, &out)
    if isKept { keptOnTheWay(now, context, &out) }
    release(context, &out)
  }

  /// HY3: Ignores the fix while a burst or the foreground's service runs. Any other fix updates the
  /// tracking and then passes the filter.
  mutating func impreciseFix(
    _ fix: Fix, _ now: SimInstant, _ context: borrowing Context, _ out: inout CommandList
  ) {
    guard !memory.isInert else { return }
    if standardIsOn && (memory.isForeground || !use(context).pattern.runsByItself) { return }
    memory.newest = fix.coordinate
    woken(by: fix, now, context, &out)
  }

  /// HY3: Handles the position at the exit like any other imprecise fix.
  mutating func leftRegion(
    _ cached: Fix?, _ now: SimInstant, _ context: borrowing Context, _ out: inout CommandList
  ) {
    if let cached {
      impreciseFix(cached, now, context, &out)
    } else {
      woken(by: nil, now, context, &out)
    }
  }

  /// RG5: Handles the entry into a place like the arrival of a visit.
  mutating func enteredPlace(
    _ cached: Fix?, _ now: SimInstant, _ context: borrowing Context, _ out: inout CommandList
  ) {
    guard !memory.isInert else { return }
    if let cached {
      arrived(cached, now, context, &out)
    } else {
      woken(by: nil, now, context, &out)
    }
  }

  /// VI3: Handles a visit unless it is the same as the last one.
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

  private mutating func woken(
    by fix: Fix?, _ now: SimInstant, _ context: borrowing Context, _ out: inout CommandList
  ) {
    guard !memory.isInert else { return }
    holdBackgroundTask(context, &out)
    endStillRest(now, context, &out)
    let hasNoBurst = updateTracking(now, context, &out)
    if let fix { keep(fix, now, context, &out) }
    if hasNoBurst { trySend(now, context, force: false, &out) }
    release(context, &out)
  }

  /// RG4: Resumes or starts the standard service, and renews the region unless a burst runs.
  /// Returns true if no burst runs, so that the caller must send.
  private mutating func updateTracking(
    _ now: SimInstant, _ context: borrowing Context, _ out: inout CommandList
  ) -> Bool {
    if use(context).pattern.runsByItself {
      // Resumes only a service that the system suspended or paused.
      resume(now, context, &out)
      keepRegion(here, context, &out)
      return true
    }
    guard !standardIsOn else { return false }
    startStandard(now, context, force: false, &out)
    guard !standardIsOn else { return false }
    keepRegion(here, context, &out)
    return true
  }

  /// Handles a silent push (SP2), a background refresh (BR4) or a processing task (BR5) as the
  /// policy states.
  mutating func respond(
    _ response: PushResponse, _ cached: Fix?, _ now: SimInstant, _ context: borrowing Context,
    _ out: inout CommandList
  ) {
    holdBackgroundTask(context, &out)
    switch response {
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
    // A fix that answers a push is kept even if the phone has not moved.
    let answersPush = memory.pushIsPending && memory.standard != .timed
    let filter = filter(context)
    let last = reference(of: filter)
    noteDelivery(of: fix, to: filter)
    guard filter.accepts(fix, after: last, now: now, always: answersPush) else { return false }
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

  private func reference(of filter: FixFilter) -> Fix? {
    switch filter.against {
    case .kept: lastAccepted
    case .delivered: memory.delivered
    }
  }

  private mutating func noteDelivery(of fix: Fix, to filter: FixFilter) {
    switch filter.against {
    case .kept: break
    case .delivered: memory.delivered = fix
    }
  }

  var here: Coordinate? { memory.newest ?? lastAccepted?.coordinate }

  func keepRegion(_ centre: Coordinate?, _ context: borrowing Context, _ out: inout CommandList) {
    guard let centre else { return }
    if let radius = context.settings.regionRadius {
      out.append(.monitorRegion(centre: centre, radius: radius))
    }
    // RG10: The nearest places may have changed.
    if let places = context.settings.places, places.choose == .nearest {
      out.append(.monitorPlaces(near: centre))
    }
  }
}

extension Visit {
  /// VI2, VI3: The key has both dates, since either may be a sentinel. With one date, all visits of
  /// unknown arrival could share the key `distantPast`.
  struct Key: Equatable, Sendable, BitwiseCopyable {
    let arrival: SimInstant
    let departure: SimInstant
  }

  var key: Key { Key(arrival: arrival, departure: departure) }
}

// These functions detect that the phone rests, and change the service (AC5).

extension TrackerStateMachine {
  /// AC5: The phone rests unless the motion activity is one that the policy names. An unknown
  /// activity counts as rest. AC6: At rest the session gets other settings.
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

  private func markRest(at coordinate: Coordinate?, _ rest: RestRule, _ out: inout CommandList) {
    guard let radius = rest.regionRadius, let coordinate else { return }
    out.append(.monitorRegion(centre: coordinate, radius: radius))
  }

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

  mutating func noticeOpening(_ context: borrowing Context, _ out: inout CommandList) {
    reviewRest(context, &out)
    if let rest = rest(context), case .still = rest.sign { memory.isResting = false }
  }

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
