internal import Figures
internal import Mobility
internal import Phone
internal import PushService
internal import Scenarios
internal import SimulationCore
internal import Telemetry
internal import Tracker

/// Adds what one phone does to the shard's accounts: freshness, the causes of its silence, energy,
/// and its trace.
extension Shard {
  // MARK: Freshness

  /// Closes the accounts of freshness up to `t`, which lies in the phone's present segment and up
  /// to which nothing changed: the newest fix, the segment, and what keeps the phone silent.
  mutating func account(_ i: Int, upTo t: SimInstant) { account(i, &phones[i].os, upTo: t) }

  /// The same while the phone's system handles an event.
  mutating func account(_ i: Int, _ os: inout PhoneOS, upTo t: SimInstant) {
    let from = max(phones[i].mark, accounting.start)
    let to = min(t, accounting.end)
    phones[i].mark = max(phones[i].mark, t)
    guard from < to else { return }
    let stored = phones[i].stored
    let isReachable = os.isReachable
    let staleFrom = stored.isNever ? from : max(from, stored.time + metrics.freshness.limit)
    let cause = staleFrom < to ? cause(i, &os, from: from, to: t) : .policySilent
    if !stored.isNever, tallies.areKept {
      tallies.noteError(i, of: storedPlace(i), os.segment, from: from, to: to)
    }
    metrics.freshness.add(
      stored, from, to, located: timeLocated(i, os, from: from, to: to), staleFrom: staleFrom,
      isReachable: isReachable, isMoving: os.segment.isMoving, cohort: Int(phones[i].cohort))
    if staleFrom < to { metrics.stale.add(to - staleFrom, cause) }
    silence.add(os.segment, from, to, staleFrom: staleFrom, isReachable: isReachable, cause)
  }

  /// Returns for how long of a stretch of time, in which nothing changed, the newest fix that the
  /// collector holds lay near the phone.
  private func timeLocated(
    _ i: Int, _ os: borrowing PhoneOS, from: SimInstant, to: SimInstant
  ) -> SimDuration {
    guard !phones[i].stored.isNever else { return .zero }
    return os.segment.timeWithin(
      storedPlace(i), radius: metrics.freshness.reach.meters, from: from, to: to)
  }

  /// Returns the freshness of the counted time so far: with the time of each phone since its
  /// accounts were last closed, which may be hours. What the metrics have without it is of the
  /// phones to which something has just happened, and too fresh.
  ///
  /// It opens every phone.
  package func freshness() -> FreshnessMetrics {
    var sum = metrics.freshness
    if isDraining { return sum }
    let to = min(horizon, accounting.end)
    for i in phones.indices {
      let from = max(phones[i].mark, accounting.start)
      guard from < to else { continue }
      let stored = phones[i].stored
      sum.add(
        stored, from, to, located: timeLocated(i, phones[i].os, from: from, to: to),
        staleFrom: stored.isNever ? from : max(from, stored.time + sum.limit),
        isReachable: phones[i].isReachable, isMoving: phones[i].segment.isMoving,
        cohort: Int(phones[i].cohort))
    }
    return sum
  }

  /// Returns the one cause that a phone's stale time is charged to: the first that applies.
  ///
  /// - Parameters:
  ///   - t: where the time begins; until its end nothing else changed.
  ///   - end: where it ends.
  func cause(_ i: Int, _ os: inout PhoneOS, from t: SimInstant, to end: SimInstant) -> StaleCause {
    if os.switchedOff.contains(t) { return .switchedOff }
    if os.battery.isEmpty { return .batteryEmpty }
    if os.battery.isLocked { return .beforeFirstUnlock }
    if os.process.ending == .reinstall { return .reinstalled }
    if os.backgroundPermission != .always { return .noPermission }
    if os.process.isForceQuit && os.process.state == .notRunning { return .forceQuit }
    switch os.process.ending {
    case .none, .reinstall: break
    case .memory: return .endedForMemory
    case .update: return .updated
    }
    let place = context.system(
      of: os.id, cohort: Int(phones[i].cohort), policy: Int(phones[i].policy))
    if phones[i].outbox.count > 0 {
      if os.isCutOff(at: t) { return .offline }
      if os.waitsForWifi(context.systems[place]) { return .waitingForWifi }
      switch phones[i].upload.result {
      case .failed, .refused: return .server
      case .acknowledged, .offline, .connectionLost: return .inOutbox
      }
    }
    if os.findsNothing(from: t, to: end, context.systems[place]) { return .noPosition }
    if phones[i].delivery.stage == .stored {
      return phones[i].provider.storedFor == .restricted ? .pushGate : .offline
    }
    if phones[i].pushWasGated { return .pushGate }
    return os.isImprecise(context.systems[place]) ? .preciseOff : .policySilent
  }

  /// Returns where the newest fix that the collector holds lies on the phone's plane.
  private func storedPlace(_ i: Int) -> PlanePoint {
    context.projection(of: phones[i].id, cohort: Int(phones[i].cohort))
      .point(of: phones[i].stored.place)
  }

  /// Notes that the collector holds the fixes of the last upload.
  mutating func noteStored(_ i: Int, now: SimInstant) { noteStored(i, &phones[i].os, now: now) }

  /// The same while the phone's system handles an event.
  mutating func noteStored(_ i: Int, _ os: inout PhoneOS, now: SimInstant) {
    os.due[.stored] = .distantFuture
    if phones[i].upload.bringsToken {
      phones[i].upload.bringsToken = false
      phones[i].hasOldToken = false
      phones[i].provider.forgetOldToken()
    }
    let newest = phones[i].upload.newest.instant
    guard phones[i].upload.newest.centiseconds > .min, newest > phones[i].stored.time else {
      return
    }
    account(i, &os, upTo: now)
    phones[i].stored.time = newest
    trace(i, at: now, .stored(newest))
    phones[i].stored.place = phones[i].upload.newestPlace
    pushReported(i, now: now)
  }

  // MARK: Energy

  /// Counts what the phone used, and takes it from its battery.
  mutating func charge(_ i: Int, _ os: inout PhoneOS, _ use: EnergyMeter) {
    if isDraining { return }
    let cohort = Int(phones[i].cohort)
    metrics.energy.cohorts[cohort] += use
    let bill = context.prices(cohort).bill(use)
    phones[i].energy.add(bill)
    os.spend(bill.total)
  }

  mutating func chargeSend(_ i: Int, _ os: inout PhoneOS, wifi: Bool, bytes: Int, now: SimInstant) {
    let profile = context.prices(Int(phones[i].cohort)).profile
    charge(i, &os, phones[i].energy.send(bytes: bytes, wifi: wifi, over: profile, now: now))
  }

  /// Closes every phone's energy account at the horizon, so that metrics and phones agree.
  package mutating func closeEnergy() {
    for i in 0..<count { system(i, .meterRead, now: horizon) }
  }

  /// Returns the energy that each phone's tracker used since the counting began, in the phones'
  /// order.
  package func forEachEnergy(_ body: (PhoneEnergy) -> Void) {
    for i in phones.indices {
      body(
        PhoneEnergy(
          phone: phones[i].id, tracking: phones[i].energy.tracking,
          transmission: phones[i].energy.transmission))
    }
  }

  // MARK: Batteries

  /// Calls `body` with each phone's charge when its meter was last read, in the phones' order.
  func forEachCharge(_ body: (PhoneCharge) -> Void) {
    for i in phones.indices {
      let battery = phones[i].os.battery
      let conditions = context.batteries[Int(phones[i].cohort)]
      body(
        PhoneCharge(
          percent: conditions.percent(battery),
          share: Double(battery.charge) / Double(conditions.capacity(battery)),
          isEmpty: battery.isEmpty, usageMilliwatts: Int(battery.usage)))
    }
  }

  /// Lets the phone look at its battery; a phone that starts is connected again.
  mutating func batteryDue(_ i: Int, now: SimInstant) {
    let wasEmpty = phones[i].os.battery.isEmpty
    system(i, .due(.battery), now: now)
    if wasEmpty, !phones[i].os.battery.isEmpty { reconnect(i, now: now) }
  }

  mutating func perform(_ step: BatteryStep, of i: Int, _ os: inout PhoneOS, now: SimInstant) {
    phones[i].behaviour.combine(5, now, step.digest)
    switch step {
    case .plugged: trace(i, at: now, .edge(.charger, begins: true))
    case .unplugged: trace(i, at: now, .edge(.charger, begins: false))
    case .lowPowerBegins: trace(i, at: now, .edge(.lowPower, begins: true))
    case .lowPowerEnds: trace(i, at: now, .edge(.lowPower, begins: false))
    case .runsEmpty:
      // The cause of the phone's silence changes.
      account(i, &os, upTo: now)
      trace(i, at: now, .edge(.batteryEmpty, begins: true))
      let cohort = Int(phones[i].cohort)
      if !isDraining {
        metrics.batteries[cohort].emptied += 1
        if !os.battery.hasRunEmpty { metrics.batteries[cohort].phonesEmptied += 1 }
      }
    case .starts:
      account(i, &os, upTo: now)
      trace(i, at: now, .edge(.batteryEmpty, begins: false))
    case .firstUnlock:
      account(i, &os, upTo: now)
      trace(i, at: now, .edge(.firstUnlock, begins: true))
    case .restarts:
      account(i, &os, upTo: now)
      trace(i, at: now, .edge(.firstUnlock, begins: false))
    }
  }

  mutating func note(_ flow: BatteryFlow, _ i: Int) {
    if isDraining { return }
    let cohort = Int(phones[i].cohort)
    metrics.batteries[cohort].others += flow.others
    metrics.batteries[cohort].charged += flow.charged
  }

  mutating func noteHour(_ hour: Int, percent: Int, _ i: Int) {
    if !isDraining { metrics.batteries[Int(phones[i].cohort)].noteHour(hour, percent: percent) }
  }

  mutating func noteDischarge(_ time: SimDuration, ranEmpty: Bool, _ i: Int) {
    if isDraining { return }
    metrics.batteries[Int(phones[i].cohort)].noteDischarge(time, ranEmpty: ranEmpty)
  }

  /// Ends the accounts of discharges at the horizon, as if the phones were put on a charger.
  mutating func closeDischarges() {
    for i in 0..<count {
      phones[i].os.endDischarge(ranEmpty: false, horizon) { os, effect, instant in
        self.perform(effect, of: i, &os, now: instant)
      }
    }
  }

  // MARK: Tallies and traces

  /// Starts a tally for every phone; called when the counting begins.
  package mutating func startTallying() { tallies.begin(phones: count) }

  /// Calls `body` with each phone's tally, in the order of phones; never if no tallies are kept.
  package func forEachTally(_ body: (_ phone: UInt32, _ isReachable: Bool, PhoneTally) -> Void) {
    guard tallies.areKept else { return }
    for i in phones.indices {
      let prices = context.prices(Int(phones[i].cohort))
      var tally = tallies[i]
      tally.batteryPercent = Double(phones[i].energy.tracking) / 1e4 / prices.batteryJoules
      tally.joules = Double(phones[i].energy.tracking) / 1e6
      body(phones[i].id.rawValue, phones[i].isReachable, tally)
    }
  }

  /// Adds an entry to the phone's trace, if it is traced.
  func trace(_ i: Int, at now: SimInstant, _ what: @autoclosure () -> TraceEvent) {
    traces[i]?.note(what(), at: now)
  }

  /// Notes the event that was delivered to the app, and the commands with which it has just
  /// answered.
  mutating func traceDelivery(_ i: Int, _ os: inout PhoneOS, _ event: OSEvent, now: SimInstant) {
    guard let trace = traces[i] else { return }
    let projection = context.projection(of: os.id, cohort: Int(phones[i].cohort))
    let fix: Fix? =
      switch event {
      case .location(let fix, _): fix
      case .visit(let visit): visit.fix
      case .launched, .becameActive, .enteredBackground, .regionExited, .placeEntered, .placeExited,
        .regionsRefused, .silentPush, .timer,
        .backgroundTimeExpiring, .uploadFinished, .authorizationChanged, .motionActivity,
        .standardPaused, .settingsChanged:
        nil
      }
    var from: FixSource?
    if let fix { from = source(of: fix) }
    trace.noteDelivery(event, from, &commands, os.segment, projection, at: now)
  }

  func traceState(_ i: Int, now: SimInstant) {
    guard let trace = traces[i] else { return }
    trace.noteState(
      phones[i].process.state, outbox: Int(phones[i].outbox.count),
      cause: cause(i, &phones[i].os, from: now, to: now), at: now)
  }
}

/// Goes on with a life that was read from a checkpoint.
extension Shard {
  /// Begins the counted part of a run in the middle of the phones' lives. Nothing on the phones
  /// changes but their accounts: uploads stay on their way, and pushes where they are.
  mutating func goOnCounting(freshnessWithin window: Window) {
    let events = metrics[.events]
    metrics = FleetMetrics(context.scenario)
    for i in 0..<count {
      metrics[.fixesCarried] += Int(phones[i].outbox.count)
      if phones[i].tracker.cutCount > 0 { metrics[.batchesCarried] += 1 }
      phones[i].mark = window.start
      phones[i].energy.begin()
      phones[i].os.battery.forgetRunsEmpty()
      readPast(i)
    }
    // What was drawn until now is in the next reading of each meter, and is not of this run.
    metrics.energy.negate()
    for n in metrics.batteries.indices { metrics.batteries[n].negate() }
    metrics[.events] = events
    metrics[.fixesGenerated] = metrics[.fixesCarried]
    metrics[.fixesPersisted] = metrics[.fixesCarried]
    metrics[.batchesCut] = metrics[.batchesCarried]
    silence = Self.silence(context.scenario)
    accounting = window
    let minutes = (context.scenario.duration.microseconds + 59_999_999) / 60_000_000
    uploadsByMinute = [UInt32](repeating: 0, count: Int(minutes))
  }

  /// Counts what a phone has drawn since its meter was last read, and leaves the meter as it is:
  /// to read it would round the battery's charge at another instant.
  private mutating func readPast(_ i: Int) {
    let phone = phones[i]
    system(i, .meterRead, now: horizon)
    let energy = phones[i].energy
    phones[i] = phone
    phones[i].energy.leaveOut(energy)
  }

  /// Gives each phone the settings that its cohort or its rollout has in this scenario; an app
  /// whose settings are others than before applies them now.
  mutating func adopt(settingsAfter before: Scenario) {
    let now = horizon
    for i in 0..<count {
      let former = before.policies[Int(phones[i].policy)].settings
      let rollout = phones[i].rollout
      let policy =
        rollout > 0
        ? context.policy(ofRollout: rollout)
        : UInt8(context.scenario.fleet.cohorts[Int(phones[i].cohort)].policy)
      phones[i].policy = policy
      guard context.scenario.policies[Int(policy)].settings != former else { continue }
      eventBegins(i, now)
      deliverFixes(i, upTo: now, before: .uploadOutcome)
      account(i, upTo: now)
      metrics[.settingsTaken] += 1
      system(i, .appEvent(.settingsChanged, evenIfStopped: false), now: now)
      suspendIfIdle(i, now: now)
      reschedule(i)
    }
  }

  /// Notes a batch on its way that an app sent which is deleted since (LC16): the server gets it,
  /// and no phone asks for it.
  mutating func noteFormer(_ order: UploadOrder, _ fixes: [Fix]) {
    let i = Int(order.id.phone.rawValue) - firstPhone
    guard order.id.epoch != epoch(i) else { return }
    var hash = BatchHash(key: context.hashKey, order.id)
    var stamps = context.stamps(of: order.id.phone, cohort: Int(phones[i].cohort))
    for fix in fixes { hash.combine(stamps.stamped(fix)) }
    former.add(
      FormerInstallations.Entry(
        newest: BatchID(phone: order.id.phone, epoch: order.id.epoch, sequence: 0),
        unanswered: (order.id, hash.value, fixes.count)), of: i)
  }
}

extension BatteryStep {
  fileprivate var digest: UInt64 {
    switch self {
    case .plugged: 1
    case .unplugged: 2
    case .lowPowerBegins: 3
    case .lowPowerEnds: 4
    case .runsEmpty: 5
    case .starts: 6
    case .firstUnlock: 7
    case .restarts: 8
    }
  }
}
