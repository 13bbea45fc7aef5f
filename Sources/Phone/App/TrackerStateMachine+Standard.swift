internal import Core
internal import Scenarios

// Runs the standard service: bursts, cycles, polls, and the lasting session.
//
//     off ──wake──▶ waiting ──first fix──▶ timed ──stop timer──▶ off          burst, duty cycle
//     off ──mode──▶ steady ──restart timer, push──▶ asking ──fix──▶ steady    continuous, polled

extension TrackerStateMachine {
  /// The timeout for the first fix of a burst.
  static let firstFixTimeout = SimDuration.seconds(7)
  /// The timeout for a request for a single position (LA3).
  static let requestTimeout = SimDuration.seconds(15)

  /// The settings of a polling app's second manager (Radar: rules 2.3).
  private static let keepAlive = (
    accuracy: DesiredAccuracy.threeKilometers, filter: DistanceFilter.atLeast(.kilometers(3))
  )

  func standingRequest(_ context: borrowing Context) -> ServiceRequest? {
    let use = use(context)
    switch use.pattern {
    case .off, .burst: return nil
    case .continuous, .dutyCycle, .polled: return standardIsOn ? request(use, context) : nil
    }
  }

  private func request(_ use: ServiceUse, _ context: borrowing Context) -> ServiceRequest {
    var request = ServiceRequest(use, context.settings.app)
    if case .polled = use.pattern {
      request.accuracy = Self.keepAlive.accuracy
      request.distanceFilter = Self.keepAlive.filter
    } else if use.elasticity > 0 {
      request.distanceFilter = use.distanceFilter.stretched(
        by: Double(memory.speedClass) * use.elasticity)
    }
    return request
  }

  mutating func startStandard(
    _ now: SimInstant, _ context: borrowing Context, force: Bool, _ out: inout CommandList
  ) {
    let use = use(context)
    switch use.pattern {
    case .off:
      guard force else { return }
      startBurst(
        movingUse(context), stop: now + Self.requestTimeout, isSingle: true, now, context, &out)
    case .burst(let duration, let minInterval):
      if !force && now - memory.lastBurst < minInterval { return }
      // A burst without a first fix ends too, in time to send within the background time.
      startBurst(use, stop: now + duration + Self.firstFixTimeout, now, context, &out)
    case .continuous:
      memory.lastBurst = now
      steady(context, &out)
      if force { askIfFiltered(now, context, &out) }
    case .dutyCycle:
      startBurst(use, stop: nil, now, context, &out)
    case .polled(let every, let timeout):
      poll(every: every, timeout: timeout, now, context, &out)
    }
  }

  private mutating func startBurst(
    _ use: ServiceUse, stop: SimInstant?, isSingle: Bool = false, _ now: SimInstant,
    _ context: borrowing Context, _ out: inout CommandList
  ) {
    memory.lastBurst = now
    memory.standard = .waiting
    out.append(.startStandard(ServiceRequest(use, context.settings.app, isSingle: isSingle)))
    if let stop { out.append(.setTimer(.stopStandard, at: stop)) }
  }

  /// HY1, DC1: The first fix sets the end of the burst, or arms both timers of the cycle.
  mutating func firstFix(
    _ now: SimInstant, _ context: borrowing Context, _ out: inout CommandList
  ) {
    switch use(context).pattern {
    case .burst(let duration, _): timeBurst(now + duration, context, &out)
    case .off: timeBurst(now, context, &out)
    case .dutyCycle(let on, let period): timeCycle(on: on, period: period, now, context, &out)
    // The mode has changed since the start, so the session continues.
    case .continuous, .polled: steady(context, &out)
    }
  }

  private mutating func timeBurst(
    _ stop: SimInstant, _ context: borrowing Context, _ out: inout CommandList
  ) {
    memory.standard = .timed
    guard !memory.isForeground,
      case .burst(let duration, _) = context.settings.background.service.pattern
    else {
      out.append(.setTimer(.stopStandard, at: stop))
      return
    }
    // A late first fix shortens the burst, so that the send still fits into the background time.
    let latest = memory.lastBurst + duration + Self.firstFixTimeout
    out.append(.setTimer(.stopStandard, at: min(stop, latest)))
  }

  /// DC1, DC2: The first fix arms both timers and begins a new task. Further fixes arm no timer
  /// while the restart timer runs.
  private mutating func timeCycle(
    on: SimDuration, period: SimDuration, _ now: SimInstant, _ context: borrowing Context,
    _ out: inout CommandList
  ) {
    if !memory.restartIsTimed {
      memory.restartIsTimed = true
      memory.standard = .timed
      beginCycleTask(context, &out)
      out.append(.setTimer(.stopStandard, at: now + on))
      out.append(.setTimer(.restart, at: now + period))
    } else if memory.pushIsPending {
      // The service was started only for the push, in the cycle's pause.
      memory.standard = .timed
      out.append(.setTimer(.stopStandard, at: now))
    }
  }

  mutating func steady(_ context: borrowing Context, _ out: inout CommandList) {
    if memory.standard == .asking { out.append(.cancelTimer(.stopStandard)) }
    memory.standard = .steady
    out.append(.startStandard(request(use(context), context)))
  }

  mutating func askIfFiltered(
    _ now: SimInstant, _ context: borrowing Context, _ out: inout CommandList
  ) {
    guard unfilteredRequest(context) != request(use(context), context) else { return }
    askOnce(until: now + Self.requestTimeout, context, &out)
  }

  private func unfilteredRequest(_ context: borrowing Context) -> ServiceRequest {
    var request = ServiceRequest(movingUse(context), context.settings.app)
    request.distanceFilter = .none
    request.deferral = nil
    // A single request of Android has no interval.
    if request.interval != nil { request.interval = .seconds(1) }
    return request
  }

  private mutating func askOnce(
    until end: SimInstant, _ context: borrowing Context, _ out: inout CommandList
  ) {
    memory.standard = .asking
    var request = unfilteredRequest(context)
    request.isSingle = true
    out.append(.startStandard(request))
    out.append(.setTimer(.stopStandard, at: end))
  }

  private mutating func poll(
    every: SimDuration, timeout: SimDuration, _ now: SimInstant, _ context: borrowing Context,
    _ out: inout CommandList
  ) {
    askOnce(until: now + timeout, context, &out)
    memory.restartIsTimed = true
    out.append(.setTimer(.restart, at: now + every))
  }

  mutating func resume(_ now: SimInstant, _ context: borrowing Context, _ out: inout CommandList) {
    switch use(context).pattern {
    case .off, .burst: break
    case .continuous: if memory.standard != .asking { steady(context, &out) }
    case .dutyCycle:
      if memory.standard == .off && !memory.restartIsTimed {
        startStandard(now, context, force: false, &out)
      }
    case .polled: if memory.standard != .asking { startStandard(now, context, force: false, &out) }
    }
  }

  /// Adjusts the elastic distance filter, which grows with each 5 m/s (rules 2.3).
  mutating func stretch(_ fix: Fix, _ context: borrowing Context, _ out: inout CommandList) {
    guard fix.speedDecimetersPerSecond >= 0, use(context).elasticity > 0 else { return }
    let speedClass = UInt8(clamping: max(1, (Int(fix.speedDecimetersPerSecond) + 49) / 50))
    guard speedClass != memory.speedClass else { return }
    memory.speedClass = speedClass
    steady(context, &out)
  }

  /// HY1: Ends the burst: turns satellites off, sets a region at the last fix, and sends. DC3: In a
  /// duty cycle only the service stops, and the cycle continues.
  mutating func stopTimer(
    _ now: SimInstant, _ context: borrowing Context, _ out: inout CommandList
  ) {
    var sends = memory.pushIsPending
    switch memory.standard {
    // The timer came due before its cancellation took effect.
    case .off, .steady: return
    case .waiting, .timed:
      if case .burst = use(context).pattern { sends = sends || context.settings.send.afterBurst }
      stopBurst(&out)
      keepRegion(here, context, &out)
    case .asking: steady(context, &out)
    }
    memory.pushIsPending = false
    trySend(now, context, force: sends, &out)
    release(context, &out)
  }

  /// DC3: Starts the next cycle, whose first fix arms both timers again, or the next poll.
  mutating func restartTimer(
    _ now: SimInstant, _ context: borrowing Context, _ out: inout CommandList
  ) {
    guard memory.restartIsTimed else { return }
    memory.restartIsTimed = false
    switch use(context).pattern {
    case .dutyCycle, .polled: startStandard(now, context, force: false, &out)
    case .off, .burst, .continuous: break
    }
  }

  mutating func stopBurst(_ out: inout CommandList) {
    guard standardIsOn else { return }
    memory.standard = .off
    out.append(.stopStandard)
    out.append(.cancelTimer(.stopStandard))
  }

  /// DC3: Stops the service and its cycle.
  mutating func stopStandard(_ out: inout CommandList) {
    stopBurst(&out)
    memory.isPaused = false
    // EF1: The first fix after a start is compared with no earlier fix.
    memory.delivered = nil
    guard memory.restartIsTimed else { return }
    memory.restartIsTimed = false
    out.append(.cancelTimer(.restart))
  }

  /// PT1: Notes the system's pause at rest, and sets a region that may report a later movement.
  mutating func paused(_ context: borrowing Context, _ out: inout CommandList) {
    guard standardIsOn else { return }
    memory.isPaused = true
    keepRegion(here, context, &out)
  }
}

extension DistanceFilter {
  fileprivate func stretched(by factor: Double) -> DistanceFilter {
    switch self {
    case .none, .max: self
    case .atLeast(let distance): .atLeast(.meters(distance.meters * factor))
    }
  }
}
