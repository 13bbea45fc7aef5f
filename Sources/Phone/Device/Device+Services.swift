package import Core
internal import Scenarios

// This file runs what outlives the app: significant changes and visits, and the battery.

extension Device {
  /// Whether region, significant changes and visits work: they require Always (AU5), a phone that
  /// is on, its radios (NO4), and an unlock since its start (BT5), whatever Low Power Mode (BT7).
  @inline(__always) func servicesRun(at t: SimInstant) -> Bool {
    authorization == .always && !switchedOff.contains(t) && !airplane.contains(t)
      && battery.letsAppsRun
  }

  mutating func enter(
    _ next: Segment, wifi: Bool, _ now: SimInstant, _ context: borrowing Context, _ owner: Owner
  ) {
    // How often the services scan depends on how the phone moves.
    if services.significantChangeIsOn { readMeter(now, context, owner) }
    let wasMoving = segment.isMoving
    segment = next
    isOnWifi = wifi
    if wasMoving { services.reportedArrival = .distantFuture }
    services.missedArrival = false
    due[.segment] = next.end
    carryServices(now, context)
    carryStandard(now, context)
    armLiveReturn(now, context)
    armMotion(now, context)
    carryCharger(now, context, owner)
    armTransfer(now, context)
  }

  // MARK: On the calendar

  mutating func armServices(_ now: SimInstant, _ context: borrowing Context) {
    forgetCrossing()
    due[.significantChange] = .distantFuture
    carryServices(now, context)
  }

  /// Updates the calendar at a new segment; an event of the old segment that waits for its latency
  /// stays.
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

  /// Positions come from the networks in range, connected or not.
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

  mutating func changeSignificantly(
    _ now: SimInstant, _ context: borrowing Context, _ owner: Owner
  ) {
    let scans = services.scansForWifi(context.significantChange, seed: context.seed, phone: id)
    learnPlace(now)
    services.significantChangeFired(at: segment.position(at: now), now: now)
    armSignificantChange(now, context)
    if battery.isLocked { return launchWithoutData(now, context, owner) }
    guard wake(.location, for: .keptChange, continues: true, now, context, owner) else { return }
    // LC8: An app that makes no manager at launch cannot receive the event.
    guard process.hasManager else { return }
    deliver(coarseFix(now, fromCells: !scans, context, owner), .imprecise, now, owner)
  }

  mutating func visit(_ now: SimInstant, _ context: borrowing Context, _ owner: Owner) {
    learnPlace(now)
    let departed = segment.isMoving
    let services = services
    let arrival =
      departed ? services.reportedArrival : services.missedArrival ? .distantPast : segment.start
    self.services.reportedArrival = departed ? .distantFuture : arrival
    let kept: Consent = departed ? [] : .keptArrival
    guard wake(.location, for: kept, now, context, owner), process.hasManager else { return }
    let located = coarseFix(now, context, owner)
    owner(&self, .located(located), now)
    let visit = Visit(
      fix: located.fix, arrival: arrival, departure: departed ? segment.start : .distantFuture)
    notify(.visit(visit), now, owner)
  }

  mutating func coarseFix(
    _ now: SimInstant, fromCells: Bool = false, _ context: borrowing Context, _ owner: Owner
  ) -> LocatedFix {
    if !fromCells { owner(&self, .scanned, now) }
    let located = coarseFix(at: now, segment, fromCells: fromCells, context)
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

  mutating func startSignificantChange(
    _ now: SimInstant, _ context: borrowing Context, _ owner: Owner
  ) {
    let isNewHere = !process.hasManager
    process.hasManager = true
    authorizeImplicitly(now, context, owner)
    let isOn = services.significantChangeIsOn
    if !isOn {
      services.startSignificantChange(at: segment.position(at: now), now: now)
      carryServices(now, context)
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

  mutating func startVisits(_ now: SimInstant, _ context: borrowing Context, _ owner: Owner) {
    process.hasManager = true
    authorizeImplicitly(now, context, owner)
    guard !services.visitsAreOn else { return }
    services.visitsAreOn = true
    services.missedArrival = segment.start < now
    carryServices(now, context)
  }

  mutating func stopVisits() {
    services.visitsAreOn = false
    services.reportedArrival = .distantFuture
    due[.visit] = .distantFuture
  }
}

// MARK: - The battery

// What the charge does to the phone: warnings, Low Power Mode, switching off, starting, and the
// first unlock.

extension Device {
  @inline(__always) package func isOff(at t: SimInstant) -> Bool {
    switchedOff.contains(t) || battery.isEmpty
  }

  /// Takes energy in microjoules from the battery that the owner of this value has billed.
  @inline(__always) package mutating func spend(_ energy: Int64) { battery.charge -= energy }

  // MARK: Events

  mutating func lookAtBattery(_ now: SimInstant, _ context: borrowing Context, _ owner: Owner) {
    readMeter(now, context, owner)
    updateCharger(now, context, owner)
    followCharge(now, context, owner)
    updateCharger(now, context, owner)
    scheduleBattery(now, context)
  }

  private mutating func followCharge(
    _ now: SimInstant, _ context: borrowing Context, _ owner: Owner
  ) {
    let conditions = context.battery
    if conditions.restart(notBefore: now, phone: id) == now { restart(now, context, owner) }
    if battery.isEmpty {
      if battery.isPlugged, conditions.mayBoot(battery) { start(now, context, owner) }
      return
    }
    if battery.isLocked, now >= unlocksAt { unlock(now, context, owner) }
    if conditions.isUsedUp(battery), !battery.isPlugged { return runEmpty(now, context, owner) }
    let isLow = conditions.isAtWarning(battery)
    if isLow != battery.isLow {
      pushes.settle(pushSituation, at: now, context.push)
      battery.flags.formSymmetricDifference(.low)
      if isLow { answerWarning(now, context, owner) }
      watchPushGate(now, context)
    }
    if battery.isInLowPowerMode, battery.isPlugged, conditions.isRestored(battery),
      !battery.flags.contains(.keepsLowPower)
    {
      battery.flags.remove(.lowPower)
      owner(&self, .battery(.lowPowerEnds), now)
      watchPushGate(now, context)
    }
  }

  /// BT2: Only if the owner wants it.
  private mutating func answerWarning(
    _ now: SimInstant, _ context: borrowing Context, _ owner: Owner
  ) {
    guard !battery.isInLowPowerMode, !switchedOff.contains(now),
      context.battery.answersWarning(at: now, phone: id)
    else { return }
    battery.flags.insert(.lowPower)
    owner(&self, .battery(.lowPowerBegins), now)
  }

  /// BT3: Switches the phone off, which ends its app.
  private mutating func runEmpty(_ now: SimInstant, _ context: borrowing Context, _ owner: Owner) {
    owner(&self, .battery(.runsEmpty), now)
    endDischarge(ranEmpty: true, now, owner)
    battery.flags.formUnion([.empty, .hasRunEmpty])
    battery.flags.remove(.locked)
    die(now, context, owner)
    armServices(now, context)
    armTransfer(now, context)
    watchPushGate(now, context)
  }

  /// BT4: Starts a charged phone; BT5: no app runs before it was unlocked.
  private mutating func start(_ now: SimInstant, _ context: borrowing Context, _ owner: Owner) {
    owner(&self, .battery(.starts), now)
    battery.flags.remove(.empty)
    lock(now, context)
  }

  /// BU1: The phone restarts, for an update of its system or by itself; its app dies.
  mutating func restart(_ now: SimInstant, _ context: borrowing Context, _ owner: Owner) {
    guard battery.letsAppsRun, !switchedOff.contains(now), process.state != .foreground else {
      return
    }
    owner(&self, .battery(.restarts), now)
    endDischarge(ranEmpty: false, now, owner)
    die(now, context, owner)
    lock(now, context)
  }

  private mutating func lock(_ now: SimInstant, _ context: borrowing Context) {
    battery.flags.insert(.locked)
    waitForRegions(now, context)
    battery.mark = Self.seconds(context.battery.firstUnlock(after: now, phone: id)) + 1
    armServices(now, context)
  }

  mutating func unlock(_ now: SimInstant, _ context: borrowing Context, _ owner: Owner) {
    owner(&self, .battery(.firstUnlock), now)
    battery.flags.remove(.locked)
    battery.mark = 0
    armServices(now, context)
    armTransfer(now, context)
    watchPushGate(now, context)
  }

  private var unlocksAt: SimInstant { SimInstant(microseconds: Int64(battery.mark) * 1_000_000) }

  private static func seconds(_ t: SimInstant) -> UInt32 {
    UInt32(clamping: t.microseconds / 1_000_000)
  }

  // MARK: Chargers

  /// BT1: Plugs the phone in or out, depending on its place and its charge.
  mutating func updateCharger(_ now: SimInstant, _ context: borrowing Context, _ owner: Owner) {
    let asks = battery.isLow || battery.isEmpty
    if asks, context.battery.isPluggedWhenLow(battery, segment, phone: id) {
      battery.flags.insert(.pluggedHere)
    }
    let isPlugged =
      battery.flags.contains(.pluggedHere)
      || context.battery.hasCharger(at: now, segment, phone: id)
    guard isPlugged != battery.isPlugged else { return }
    readMeter(now, context, owner)
    pushes.settle(pushSituation, at: now, context.push)
    battery.flags.formSymmetricDifference(.plugged)
    if isPlugged {
      if context.push.limits.window.opensOnCharger {
        pushes.openWindow(pushSituation, at: now, context.push)
      }
      endDischarge(ranEmpty: false, now, owner)
    } else if !battery.isLocked, context.battery.isFull(battery) {
      battery.mark = Self.seconds(now)
    }
    owner(&self, .battery(isPlugged ? .plugged : .unplugged), now)
    armTransfer(now, context)
    watchPushGate(now, context)
  }

  /// BT1: Applies the charger of a new place, without what was plugged in for the last stay.
  mutating func carryCharger(_ now: SimInstant, _ context: borrowing Context, _ owner: Owner) {
    battery.flags.remove(.pluggedHere)
    let wasPlugged = battery.isPlugged
    updateCharger(now, context, owner)
    if battery.isPlugged != wasPlugged { scheduleBattery(now, context) }
  }

  package mutating func endDischarge(ranEmpty: Bool, _ now: SimInstant, _ owner: Owner) {
    guard !battery.isLocked, battery.mark > 0 else { return }
    let since = SimInstant(microseconds: Int64(battery.mark) * 1_000_000)
    battery.mark = 0
    owner(&self, .discharged(max(.zero, now - since), ranEmpty: ranEmpty), now)
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

  /// Checks the battery earlier if the draw has risen or an event has taken much.
  @inline(__always) mutating func watchBattery(
    risen: Bool, _ now: SimInstant, _ context: borrowing Context
  ) {
    // An upload may take more than there is; the phone goes off in the middle of it.
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
