internal import Phone
internal import Scenarios
internal import SimulationCore
internal import Telemetry

// How the tracker finds out that its phone rests, and what it does then (AC5; rule book 2.3).

extension TrackerStateMachine {
  /// AC5: active while the motion activity is one that the policy names; unknown rests. AC6: the
  /// session is never stopped for it, it is given other settings.
  mutating func moved(
    _ activity: MotionActivity?, _ now: SimInstant, _ context: Context,
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
    _ now: SimInstant, _ context: Context, _ out: inout CommandList
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
    _ fix: Fix, _ now: SimInstant, _ context: Context, _ out: inout CommandList
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
    _ now: SimInstant, _ context: Context, _ out: inout CommandList
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
    _ now: SimInstant, _ context: Context, _ out: inout CommandList
  ) {
    guard memory.stillIsTimed else { return }
    beginStillRest(at: lastAccepted?.coordinate, now, context, &out)
  }

  /// The phone rests: what there is to tell is told, the service changes, a region waits.
  private mutating func beginStillRest(
    at coordinate: Coordinate?, _ now: SimInstant, _ context: Context,
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
    _ now: SimInstant, _ context: Context, _ out: inout CommandList
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
    _ fix: Fix, _ now: SimInstant, _ context: Context, _ out: inout CommandList
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

  /// Whoever opens the app holds the phone in the hand.
  mutating func noticeOpening(_ context: Context, _ out: inout CommandList) {
    reviewRest(context, &out)
    if let rest = rest(context), case .still = rest.sign { memory.isResting = false }
  }

  /// A mode without a rule of rest knows none.
  mutating func reviewRest(_ context: Context, _ out: inout CommandList) {
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
