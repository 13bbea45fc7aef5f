package import Core
internal import Scenarios

// Significant changes and visits, which continue after the app has ended, and the battery.

extension Device {
  /// Returns whether region, significant changes and visits work at `t`. The services require
  /// Always (AU5, AGF1), a phone that is on, radios (NO4), and an unlock since the start (BT5). Low
  /// Power Mode has no effect (BT7).
  @inline(__always) func servicesRun(at t: SimInstant) -> Bool {
    authorization == .always && !switchedOff.contains(t) && !airplane.contains(t)
      && battery.letsAppsRun && android.hasFences
  }

  mutating func enter(
    _ next: Segment, _ link: Link, _ context: borrowing Context, _ out: inout Effects
  ) {
    // How often the services scan depends on how the phone moves.
    if services.significantChangeIsOn { readMeter(context, &out) }
    let wasMoving = segment.isMoving
    segment = next
    self.link = link
    if wasMoving { services.reportedArrival = .distantFuture }
    if wasMoving != next.isMoving { lookAtDoze(out.now, context) }
    services.missedArrival = false
    due[.segment] = next.end
    carryServices(out.now, context)
    carryStandard(out.now, context)
    armLiveReturn(out.now, context)
    armMotion(out.now, context)
    carryCharger(context, &out)
    armTransfer(out.now, context)
  }

  // MARK: On the calendar

  mutating func armServices(_ now: SimInstant, _ context: borrowing Context) {
    forgetCrossing()
    due[.significantChange] = .distantFuture
    carryServices(now, context)
  }

  /// Updates the calendar at a new segment. An event of the old segment whose latency has begun
  /// stays in the calendar.
  mutating func carryServices(_ now: SimInstant, _ context: borrowing Context) {
    due[.visit] = .distantFuture
    guard servicesRun(at: now) else {
      if !places.isIdle { armPlaces(now, context) }
      return carryChangesWhileLocked(now, context)
    }
    if services.regionIsSet {
      services.noteRegion(segment.position(at: now))
      if due[.regionExit] == .distantFuture { armRegion(now, context) }
    }
    if !places.isIdle { armPlaces(now, context) }
    let pending = due[.significantChange]
    armSignificantChange(now, context)
    due[.significantChange] = min(pending, due[.significantChange])
    let visit = services.visit(in: segment, context.profile.visits, seed: context.seed, phone: id)
    due[.visit] = visit < .distantFuture ? max(visit, now) : visit
  }

  /// BU1: Only significant changes continue before the first unlock.
  private mutating func carryChangesWhileLocked(_ now: SimInstant, _ context: borrowing Context) {
    guard battery.isLocked, authorization == .always, !switchedOff.contains(now),
      !airplane.contains(now)
    else { return }
    let pending = due[.significantChange]
    armSignificantChange(now, context)
    due[.significantChange] = min(pending, due[.significantChange])
  }

  /// Returns whether positions come from Wi-Fi networks in range, connected or not.
  func mayUseWifi(_ now: SimInstant, _ context: borrowing Context) -> Bool {
    context.maker.network(at: now, segment, radios, id) == .wifi
  }

  @inline(__always) var radios: Radios {
    var radios = Radios.all
    if traits.contains(.wifiOff) { radios.remove(.wifi) }
    if traits.contains(.withoutSIM) { radios.remove(.cells) }
    return radios
  }

  @inline(__always) package func isImprecise(_ context: borrowing Context) -> Bool {
    context.rules.isImprecise(consent)
  }

  mutating func armSignificantChange(_ now: SimInstant, _ context: borrowing Context) {
    due[.significantChange] = services.significantChange(
      in: segment, after: now, context.significantChange, cells: !traits.contains(.withoutSIM),
      seed: context.seed, phone: id)
  }

  // MARK: Events

  mutating func changeSignificantly(_ context: borrowing Context, _ out: inout Effects) {
    let scans = services.scansForWifi(context.significantChange, seed: context.seed, phone: id)
    learnPlace(out.now)
    services.significantChangeFired(at: segment.position(at: out.now), now: out.now)
    armSignificantChange(out.now, context)
    if battery.isLocked { return launchWithoutData(context, &out) }
    guard wake(.location, for: .keptChange, continues: true, context, &out) else { return }
    // LC8: An app that creates no manager at launch cannot receive the event.
    guard process.hasManager else { return }
    deliver(wakeFix(fromCells: !scans, context, &out), .imprecise, context, &out)
  }

  mutating func visit(_ context: borrowing Context, _ out: inout Effects) {
    learnPlace(out.now)
    let departed = segment.isMoving
    let services = services
    let arrival =
      departed ? services.reportedArrival : services.missedArrival ? .distantPast : segment.start
    self.services.reportedArrival = departed ? .distantFuture : arrival
    let kept: Consent = departed ? [] : .keptArrival
    guard wake(.location, for: kept, context, &out), process.hasManager else { return }
    // VI4: A departure has the position of the place that was left, at the time of leaving.
    var located =
      departed ? coarseFix(at: segment.start, segment, context) : coarseFix(context, &out)
    if departed { located.truth = segment.position(at: segment.start) }
    note(located, &out)
    let visit = Visit(
      fix: located.fix, arrival: arrival, departure: departed ? segment.start : .distantFuture)
    notify(.visit(visit), context, &out)
  }

  mutating func coarseFix(_ context: borrowing Context, _ out: inout Effects) -> LocatedFix {
    wakeFix(since: out.now, context, &out)
  }

  /// LA1: Returns the position that a wake brings: the system's last position, which may be minutes
  /// old, but is from the current stay or trip and not from before `since`. If the app has received
  /// a newer position, returns a new one.
  mutating func wakeFix(
    since: SimInstant = .distantPast, fromCells: Bool = false, _ context: borrowing Context,
    _ out: inout Effects
  ) -> LocatedFix {
    if !fromCells {
      out.emit(.scanned)
      battery.charge -= bill(.scan, context, &out)
    }
    var then = max(segment.start, since)
    if then < out.now {
      let draw = Draw(seed: context.seed, phone: id.rawValue, .cachedAge, out.now.microseconds, 1)
      then = max(then, out.now - context.profile.firstFix.wakeAge(draw))
      if let known = lastKnown, known.time.instant > then { then = out.now }
    }
    var located = coarseFix(at: then, segment, fromCells: fromCells, context)
    // The error of a fix is relative to the true position at the instant of measurement.
    if then < out.now { located.truth = segment.position(at: then) }
    lastKnown = located.fix
    return located
  }

  mutating func coarseFix(
    at t: SimInstant, _ segment: Segment, fromCells: Bool = false, _ context: borrowing Context
  ) -> LocatedFix {
    isImprecise(context)
      ? context.maker.reducedFix(at: t, segment, id)
      : context.maker.coarseFix(at: t, segment, radios, fromCells: fromCells, id)
  }

  // MARK: Starting and stopping

  mutating func startSignificantChange(_ context: borrowing Context, _ out: inout Effects) {
    let isNewHere = !process.hasManager
    process.hasManager = true
    authorizeImplicitly(context, &out)
    let isOn = services.significantChangeIsOn
    if !isOn {
      services.startSignificantChange(at: segment.position(at: out.now), now: out.now)
      carryServices(out.now, context)
    }
    // SL5: An app that was launched for a location gets that location instead of the cached one.
    let isFirst = !isOn || isNewHere && !turn.isWokenForLocation
    if isFirst, authorization == .always, !turn.given.contains(.cachedChange) {
      turn.given.insert(.cachedChange)
      turn.answers.insert(.cachedChange)
    }
  }

  mutating func stopSignificantChange() {
    process.hasManager = true
    services.significantChangeIsOn = false
    due[.significantChange] = .distantFuture
  }

  mutating func startVisits(_ context: borrowing Context, _ out: inout Effects) {
    process.hasManager = true
    authorizeImplicitly(context, &out)
    guard !services.visitsAreOn else { return }
    services.visitsAreOn = true
    services.missedArrival = segment.start < out.now
    carryServices(out.now, context)
  }

  mutating func stopVisits() {
    services.visitsAreOn = false
    services.reportedArrival = .distantFuture
    due[.visit] = .distantFuture
  }
}

// MARK: - The battery

// The effects of the charge on the phone: warnings, Low Power Mode, switching off, starting, and
// the first unlock.

extension Device {
  @inline(__always) package func isOff(at t: SimInstant) -> Bool {
    switchedOff.contains(t) || battery.isEmpty
  }

  // MARK: Events

  private mutating func note(
    _ step: BatteryStep, _ context: borrowing Context, _ out: inout Effects
  ) {
    switch step {
    case .plugged, .unplugged, .lowPowerBegins, .lowPowerEnds: break
    case .runsEmpty, .starts, .firstUnlock, .restarts: account(context, &out)
    }
    if step == .starts || step == .restarts { noteBoot(context, &out) }
    behaviour.combine(5, out.now, step.rawValue)
    out.emit(.battery(step))
  }

  mutating func lookAtBattery(_ context: borrowing Context, _ out: inout Effects) {
    readMeter(context, &out)
    updateCharger(context, &out)
    followCharge(context, &out)
    updateCharger(context, &out)
    scheduleBattery(out.now, context)
  }

  private mutating func followCharge(_ context: borrowing Context, _ out: inout Effects) {
    let conditions = context.battery
    if conditions.restart(notBefore: out.now, phone: id) == out.now { restart(context, &out) }
    if battery.isEmpty {
      if battery.isPlugged, conditions.mayBoot(battery) { start(context, &out) }
      return
    }
    if battery.isLocked, out.now >= unlocksAt { unlock(context, &out) }
    if conditions.isUsedUp(battery), !battery.isPlugged { return runEmpty(context, &out) }
    let isLow = conditions.isAtWarning(battery)
    if isLow != battery.isLow {
      pushes.settle(pushSituation, at: out.now, context.push)
      battery.flags.formSymmetricDifference(.low)
      if isLow { answerWarning(context, &out) }
      watchPushGate(out.now, context)
    }
    if battery.isInLowPowerMode, battery.isPlugged, conditions.isRestored(battery),
      !battery.flags.contains(.keepsLowPower)
    {
      battery.flags.remove(.lowPower)
      note(.lowPowerEnds, context, &out)
      watchPushGate(out.now, context)
    }
  }

  /// BT2: Switches Low Power Mode on, if the owner accepts the offer.
  private mutating func answerWarning(_ context: borrowing Context, _ out: inout Effects) {
    guard !battery.isInLowPowerMode, !switchedOff.contains(out.now),
      context.battery.answersWarning(at: out.now, phone: id)
    else { return }
    battery.flags.insert(.lowPower)
    note(.lowPowerBegins, context, &out)
  }

  /// BT3: Switches the phone off, which ends its app.
  private mutating func runEmpty(_ context: borrowing Context, _ out: inout Effects) {
    note(.runsEmpty, context, &out)
    if !battery.hasRunEmpty { out.emit(.firstEmpty) }
    endDischarge(ranEmpty: true, &out)
    battery.flags.formUnion([.empty, .hasRunEmpty])
    battery.flags.remove(.locked)
    die(context, &out)
    armServices(out.now, context)
    armTransfer(out.now, context)
    watchPushGate(out.now, context)
  }

  /// BT4: Starts a charged phone. BT5: No app runs before the first unlock.
  private mutating func start(_ context: borrowing Context, _ out: inout Effects) {
    note(.starts, context, &out)
    battery.flags.remove(.empty)
    lock(out.now, context)
  }

  /// BU1: Restarts the phone, for a system update or by itself, which ends the app.
  mutating func restart(_ context: borrowing Context, _ out: inout Effects) {
    guard battery.letsAppsRun, !switchedOff.contains(out.now), process.state != .foreground else {
      return
    }
    note(.restarts, context, &out)
    endDischarge(ranEmpty: false, &out)
    die(context, &out)
    lock(out.now, context)
  }

  private mutating func lock(_ now: SimInstant, _ context: borrowing Context) {
    battery.flags.insert(.locked)
    loseFences(context)
    waitForRegions(now, context)
    battery.mark = Self.seconds(context.battery.firstUnlock(after: now, phone: id)) + 1
    armServices(now, context)
  }

  mutating func unlock(_ context: borrowing Context, _ out: inout Effects) {
    note(.firstUnlock, context, &out)
    battery.flags.remove(.locked)
    battery.mark = 0
    pushes.started(at: out.now, context.push)
    armServices(out.now, context)
    armTransfer(out.now, context)
    watchPushGate(out.now, context)
    startLater(out.now, context)
  }

  private var unlocksAt: SimInstant { SimInstant(microseconds: Int64(battery.mark) * 1_000_000) }

  private static func seconds(_ t: SimInstant) -> UInt32 {
    UInt32(clamping: t.microseconds / 1_000_000)
  }

  // MARK: Chargers

  /// BT1: Plugs in or unplugs the phone, depending on its position and its charge.
  mutating func updateCharger(_ context: borrowing Context, _ out: inout Effects) {
    let asks = battery.isLow || battery.isEmpty
    if asks, context.battery.isPluggedWhenLow(battery, segment, phone: id) {
      battery.flags.insert(.pluggedHere)
    }
    let isPlugged =
      battery.flags.contains(.pluggedHere)
      || context.battery.hasCharger(at: out.now, segment, phone: id)
    guard isPlugged != battery.isPlugged else { return }
    readMeter(context, &out)
    pushes.settle(pushSituation, at: out.now, context.push)
    battery.flags.formSymmetricDifference(.plugged)
    if !isPlugged { android.screenOffSecond = AndroidState.second(out.now) }
    if isPlugged {
      if context.push.limits.window.opensOnCharger {
        pushes.openWindow(pushSituation, at: out.now, context.push)
      }
      endDischarge(ranEmpty: false, &out)
    } else if !battery.isLocked, context.battery.isFull(battery) {
      battery.mark = Self.seconds(out.now)
    }
    note(isPlugged ? .plugged : .unplugged, context, &out)
    armTransfer(out.now, context)
    lookAtDoze(out.now, context)
  }

  /// BT1: Unplugs the phone from the last stay's charger, and applies the new segment's charger.
  mutating func carryCharger(_ context: borrowing Context, _ out: inout Effects) {
    battery.flags.remove(.pluggedHere)
    let wasPlugged = battery.isPlugged
    updateCharger(context, &out)
    if battery.isPlugged != wasPlugged { scheduleBattery(out.now, context) }
  }

  package mutating func endDischarge(ranEmpty: Bool, _ out: inout Effects) {
    guard !battery.isLocked, battery.mark > 0 else { return }
    let since = SimInstant(microseconds: Int64(battery.mark) * 1_000_000)
    battery.mark = 0
    out.emit(.discharged(max(.zero, out.now - since), ranEmpty: ranEmpty))
  }

  // MARK: On the calendar

  mutating func scheduleBattery(_ now: SimInstant, _ context: borrowing Context) {
    var next = context.battery.nextLook(battery, draw, now: drawnSince)
    let night = context.battery.night(endingAfter: now, phone: id)
    if night != .never { next = min(next, night.contains(now) ? night.end : night.start) }
    if battery.isLocked { next = min(next, unlocksAt) }
    next = min(next, context.battery.restart(notBefore: now + .microseconds(1), phone: id))
    due[.battery] = max(next, now + .milliseconds(1))
  }

  /// Schedules an earlier check of the battery if the draw has risen or an event used much energy.
  @inline(__always) mutating func watchBattery(
    risen: Bool, _ now: SimInstant, _ context: borrowing Context
  ) {
    // An upload may need more energy than is left, so the phone switches off during the upload.
    if battery.charge < 0 { battery.charge = 0 }
    if battery.isEmpty || battery.isPlugged { return }
    if battery.charge <= context.battery.floor(battery) {
      due[.battery] = min(due[.battery], now)
    } else if risen,
      context.battery.mayReachFloor(battery, draw, now: drawnSince, before: due[.battery])
    {
      scheduleBattery(now, context)
    }
  }
}
