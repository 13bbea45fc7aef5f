internal import Core
internal import Scenarios

// A request with an interval, which Android holds for the app: one event and one position each
// interval, and the provider runs only for these positions.

extension Device {
  // MARK: On the calendar

  /// Returns when to evaluate the positions of a held request next, at one of its ticks.
  func nextLook(_ now: SimInstant, _ context: borrowing Context) -> SimInstant {
    let every = standard.every.microseconds
    if standard.isReduced { return now + max(standard.every, context.pace) }
    let tick = max(standard.lastTick + standard.every, standard.firstFixAt)
    guard tick < .distantFuture, standard.hasDelivered else { return tick }
    var until = tick
    if !segment.isMoving, standard.distanceFilterMeters > 0 {
      until = standard.isWithheld(
        from: now, segment: segment, maker: context.maker, radios, phone: id)
      if until <= tick { until = now + Context.lateness - standard.every }
    } else {
      until = now + context.heldPace - standard.every
    }
    let ticks = max(0, (until - tick).microseconds + every - 1) / every
    return max(tick + standard.every * ticks, now + .milliseconds(1))
  }

  // MARK: Positions

  /// AFL4: Returns the next position up to `now`, a repeated one while the phone lies still in Doze.
  mutating func nextHeldFix(
    upTo now: SimInstant, _ rules: borrowing AndroidRules, _ context: borrowing Context,
    _ out: inout Effects
  ) -> Fix? {
    while true {
      let tick = standard.lastTick + standard.every
      guard tick <= now else { return nil }
      let (isStill, until) = liesStill(at: tick, rules, context)
      let limit = min(now, until - .microseconds(1))
      if isStill, standard.isRepeating, let last = lastKnown {
        if let fix = standard.repeated(last, upTo: limit) { return fix }
        continue
      }
      setRepeating(false, at: tick, context, &out)
      let fix = standard.nextFix(
        upTo: isStill ? tick : limit, segment: segment, maker: context.maker, radios, phone: id,
        &out.memory)
      // The first position in Doze is a new one, and the others repeat it.
      if isStill { setRepeating(true, at: tick, context, &out) }
      if let fix { return fix }
    }
  }

  private mutating func setRepeating(
    _ isRepeating: Bool, at tick: SimInstant, _ context: borrowing Context, _ out: inout Effects
  ) {
    guard standard.isRepeating != isRepeating else { return }
    out.now = tick
    readMeter(context, &out)
    standard.isRepeating = isRepeating
  }

  /// AFL4: Returns whether the provider is not run at `t`, and until when this holds. Requests of
  /// HIGH_ACCURACY are left alone.
  private func liesStill(
    at t: SimInstant, _ rules: borrowing AndroidRules, _ context: borrowing Context
  ) -> (isStill: Bool, until: SimInstant) {
    let never = (false, SimInstant.distantFuture)
    if segment.isMoving || battery.isPlugged || process.state == .foreground { return never }
    switch standard.accuracy {
    case .best: return never
    case .tenMeters, .hundredMeters, .kilometer, .threeKilometers: break
    }
    // Deep Doze does not come sooner.
    let wait = min(rules.deepAfter, rules.deepAgain)
    let earliest = battery.isInLowPowerMode ? .distantPast : segment.start + wait
    if t < earliest { return (false, earliest) }
    let doze = doze(at: t, context)
    return (doze.depth == .deep && doze.isIdle, doze.until)
  }

  // MARK: Energy

  /// AFG10: Whether the processor sleeps until the next position of a foreground service.
  @inline(__always) var sleepsBetweenFixes: Bool {
    android.hasService && (!standard.isOn || standard.isHeld)
  }

  /// Adds to the meter what a held request used: the provider's time, and a second of the processor
  /// for each position.
  mutating func meterRequest(
    for time: SimDuration, _ meter: inout EnergyMeter, _ context: borrowing Context,
    _ out: inout Effects
  ) {
    guard standard.isOn else { return }
    func share(_ seconds: Double) -> SimDuration {
      SimDuration(seconds: time.seconds * min(1, seconds / standard.every.seconds))
    }
    func add(_ draw: EnergyDraw, _ seconds: Double) {
      meter.add(draw, for: share(seconds))
      out.emit(.drew(draw, share(seconds), scans: 0, fixes: 0))
    }
    if !standard.isRepeating { add(.positioning(standard.accuracy), secondsToFix(context)) }
    add(standard.distanceFilterMeters > 0 ? .filteredCallbacks : .callbacks, 1)
  }

  /// Returns for how long the provider runs for one position.
  private func secondsToFix(_ context: borrowing Context) -> Double {
    let times = context.profile.firstFix
    return switch standard.accuracy {
    case .best, .tenMeters: times.time(age: standard.every, isAlone: false).middleSeconds
    case .hundredMeters: context.prices.profile.hundredMeterScanSeconds
    case .kilometer, .threeKilometers: times.wifi.middleSeconds
    }
  }
}

extension TimeBand {
  fileprivate var middleSeconds: Double { (min.seconds + max.seconds) / 2 }
}
