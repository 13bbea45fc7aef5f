internal import Core
internal import Scenarios

// A request with an interval, which Android holds for the app: one event and one position each
// interval, and the provider runs only for these positions.

extension Device {
  // MARK: On the calendar

  /// Returns when to evaluate the positions of a held request next, at one of its ticks.
  mutating func nextLook(_ now: SimInstant, _ context: borrowing Context) -> SimInstant {
    let every = standard.every.microseconds
    if standard.isReduced { return now + max(standard.every, context.pace) }
    let tick = max(standard.lastTick + standard.every, standard.firstFixAt)
    guard tick < .distantFuture, standard.hasDelivered,
      let rules = context.profile.system.android
    else { return tick }
    let early = nextTick(rules, context)
    if early < tick { return max(early, now + context.pace) }
    var until = tick
    if let quiet = withheldUntil(now, context) {
      until = quiet
      if until <= tick { until = now + Context.lateness - standard.every }
    } else {
      until = now + context.heldPace - standard.every
    }
    let ticks = max(0, (until - tick).microseconds + every - 1) / every
    return max(tick + standard.every * ticks, now + .milliseconds(1))
  }

  /// Returns until when the distance filter surely withholds the positions of a phone at rest; nil
  /// without a filter, or on the way.
  @inline(__always) private func withheldUntil(
    _ now: SimInstant, _ context: borrowing Context
  ) -> SimInstant? {
    guard !segment.isMoving, standard.distanceFilterMeters > 0 else { return nil }
    return standard.withheldUntil(
      from: now, segment: segment, maker: context.maker, radios, phone: id)
  }

  /// AFL3: Answers a request for the current location with the last one, if that is new enough.
  mutating func offerCurrent(_ context: borrowing Context, _ out: inout Effects) -> Bool {
    guard let rules = context.profile.system.android, let last = lastKnown,
      max(out.now, turn.instant) - last.time.instant <= rules.currentAge,
      !turn.given.contains(.cachedStandard),
      locatesInBackground(context) || process.state == .foreground
    else { return false }
    turn.given.insert(.cachedStandard)
    turn.answers.insert(.cachedStandard)
    return true
  }

  // MARK: Positions

  /// AFL4: Returns the next position up to `now`, a repeated one while the phone lies still in Doze.
  mutating func nextHeldFix(
    upTo now: SimInstant, _ rules: borrowing AndroidRules, _ context: borrowing Context,
    _ out: inout Effects
  ) -> Fix? {
    // A position that is computed late may end the request.
    while standard.isOn {
      let tick = nextTick(rules, context)
      guard tick <= now else { return nil }
      standard.lastTick = tick - standard.every
      let (isStill, until) = liesStill(at: tick, rules, context)
      // In motion, another app may shorten each interval.
      let limit = segment.isMoving ? tick : min(now, until - .microseconds(1))
      if isStill, standard.isRepeating, let last = lastKnown {
        (out.memory.source, out.memory.truth) = (.cached, nil)
        if let fix = standard.repeated(last, upTo: limit) { return fix }
        continue
      }
      setRepeating(false, at: tick, context, &out)
      if !isStill, let quiet = withheldUntil(standard.lastTick, context), quiet > tick {
        standard.skip(to: min(limit, quiet - .microseconds(1)))
        continue
      }
      let fix = standard.nextFix(
        upTo: isStill ? tick : limit, segment: segment, maker: context.maker, radios, phone: id,
        &out.memory)
      // The first position in Doze is a new one, and the others repeat it.
      if isStill { setRepeating(true, at: tick, context, &out) }
      if let fix { return fix }
    }
    return nil
  }

  /// ABL4: Returns the next tick, which comes sooner while another app locates. AFL2: It may then
  /// come too soon by a share of the least time.
  ///
  /// At rest a distance filter withholds these positions, too.
  private mutating func nextTick(
    _ rules: borrowing AndroidRules, _ context: borrowing Context
  ) -> SimInstant {
    let tick = standard.lastTick + standard.every
    guard standard.hasDelivered, segment.isMoving || standard.distanceFilterMeters < 0 else {
      return tick
    }
    let fastest = context.policy.settings.android.fastest ?? standard.every
    let jitter = min(SimDuration(seconds: rules.jitter * fastest.seconds), rules.jitterMax)
    let early = standard.lastTick + max(.seconds(1), fastest - jitter)
    guard early < tick else { return tick }
    let others = othersLocate(after: early, rules, context)
    let next = max(early, others.start)
    return next < min(tick, others.end) ? next : tick
  }

  /// Returns the first use of the phone that ends after `t` and in which another app locates.
  private mutating func othersLocate(
    after t: SimInstant, _ rules: borrowing AndroidRules, _ context: borrowing Context
  ) -> Window {
    if AndroidState.instant(android.othersUntil) <= t {
      let uses = context.battery.use
      let share = context.battery.screenShare(of: id)
      let end = t + .hours(24)
      var use = uses.last(notAfter: t, phone: id, screenShare: share)
      while use.start < end {
        var draw = Draw(
          seed: context.seed, phone: id.rawValue, .othersLocate, use.start.microseconds)
        if use.end > t, draw.chance(rules.othersLocate) { break }
        use = uses.next(after: use.start, phone: id, screenShare: share)
      }
      android.othersFrom = AndroidState.second(min(use.start, end))
      android.othersUntil = AndroidState.second(min(use.end, end))
    }
    return Window(
      start: AndroidState.instant(android.othersFrom),
      end: AndroidState.instant(android.othersUntil))
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
  @inline(__always) private func liesStill(
    at t: SimInstant, _ rules: borrowing AndroidRules, _ context: borrowing Context
  ) -> (isStill: Bool, until: SimInstant) {
    let never = (false, SimInstant.distantFuture)
    if segment.isMoving || battery.isPlugged || process.state == .foreground { return never }
    switch standard.accuracy {
    case .best: return never
    case .tenMeters, .hundredMeters, .kilometer, .threeKilometers: break
    }
    // Deep Doze does not come sooner, and later uses of the phone only delay it.
    let isSaving = battery.isInLowPowerMode
    let wait = isSaving ? rules.lightAfter : min(rules.deepAfter, rules.deepAgain)
    var since = AndroidState.instant(android.screenOffSecond)
    if !isSaving { since = max(since, segment.start) }
    if t < since + wait { return (false, since + wait) }
    let share = context.battery.screenShare(of: id)
    let use = context.battery.use.last(notAfter: t, phone: id, screenShare: share)
    if t < use.end + wait { return (false, use.end + wait) }
    let doze = doze(at: t, context)
    return (doze.depth == .deep && doze.isIdle, doze.until)
  }

  // MARK: Energy

  /// AFG10: Whether the processor sleeps until the next position of a foreground service.
  @inline(__always) func sleepsBetweenFixes(_ context: borrowing Context) -> Bool {
    android.hasService && (!standard.isOn || standard.isHeld)
      && !context.policy.settings.android.wakeLock
  }

  /// Adds to the meter what a held request used: the provider's time, and a second of the processor
  /// for each position.
  mutating func meterRequest(
    for time: SimDuration, _ meter: inout EnergyMeter, _ context: borrowing Context,
    _ out: inout Effects
  ) {
    guard standard.isOn, let rules = context.profile.system.android else { return }
    let every = standard.isReduced ? max(standard.every, rules.coarseEvery) : standard.every
    func share(_ seconds: Double) -> SimDuration {
      SimDuration(seconds: time.seconds * min(1, seconds / every.seconds))
    }
    func add(_ draw: EnergyDraw, _ seconds: Double) {
      meter.add(draw, for: share(seconds))
      out.emit(.drew(draw, share(seconds), scans: 0, fixes: 0))
    }
    if !standard.isRepeating { add(.positioning(standard.accuracy), secondsToFix(context)) }
    guard process.state == .foreground || sleepsBetweenFixes(context) else { return }
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
