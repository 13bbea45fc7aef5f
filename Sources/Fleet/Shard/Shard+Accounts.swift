internal import Core
internal import Phone
internal import Push
internal import Scenarios

extension Shard {
  // MARK: Freshness

  /// Closes the freshness accounts up to `t`, which lies in the phone's present segment; nothing
  /// changed until then: the newest fix, the segment, and the cause of silence.
  mutating func account(_ phone: inout Device, upTo t: SimInstant) {
    let from = max(phone.mark, accounting.start)
    let to = min(t, accounting.end)
    phone.mark = max(phone.mark, t)
    guard from < to else { return }
    let stored = phone.stored
    let isReachable = phone.isReachable
    let staleFrom = stored.isNever ? from : max(from, stored.time + metrics.freshness.limit)
    let cause = staleFrom < to ? cause(&phone, from: from, to: t) : .policySilent
    if !stored.isNever, tallies.areKept {
      tallies.noteError(index(phone.id), of: storedPlace(phone), phone.segment, from: from, to: to)
    }
    metrics.freshness.add(
      stored, from, to, located: timeLocated(phone, from: from, to: to), staleFrom: staleFrom,
      isReachable: isReachable, isMoving: phone.segment.isMoving, cohort: Int(phone.cohort))
    if staleFrom < to { metrics.stale.add(to - staleFrom, cause) }
    silence.add(phone.segment, from, to, staleFrom: staleFrom, isReachable: isReachable, cause)
  }

  @inline(__always) private func timeLocated(
    _ phone: borrowing Device, from: SimInstant, to: SimInstant
  ) -> SimDuration {
    guard !phone.stored.isNever else { return .zero }
    return phone.segment.timeWithin(
      storedPlace(phone), radius: metrics.freshness.reach.meters, from: from, to: to)
  }

  /// The freshness of the counted time so far, including each phone's time since its accounts were
  /// last closed: the metrics alone are too fresh. Opens every phone.
  package func freshness() -> FreshnessMetrics {
    var sum = metrics.freshness
    if isDraining { return sum }
    let to = min(horizon, accounting.end)
    for i in phones.indices {
      let from = max(phones[i].mark, accounting.start)
      guard from < to else { continue }
      let stored = phones[i].stored
      sum.add(
        stored, from, to, located: timeLocated(phones[i], from: from, to: to),
        staleFrom: stored.isNever ? from : max(from, stored.time + sum.limit),
        isReachable: phones[i].isReachable, isMoving: phones[i].segment.isMoving,
        cohort: Int(phones[i].cohort))
    }
    return sum
  }

  /// Returns the one cause of a phone's stale time: the first that applies. From `t` to `end`
  /// nothing else changed.
  func cause(_ phone: inout Device, from t: SimInstant, to end: SimInstant) -> StaleCause {
    if phone.switchedOff.contains(t) { return .switchedOff }
    if phone.battery.isEmpty { return .batteryEmpty }
    if phone.battery.isLocked { return .beforeFirstUnlock }
    if phone.process.ending == .reinstall { return .reinstalled }
    if phone.backgroundPermission != .always { return .noPermission }
    if phone.process.isForceQuit && phone.process.state == .notRunning { return .forceQuit }
    switch phone.process.ending {
    case .none, .reinstall: break
    case .memory: return .endedForMemory
    case .update: return .updated
    }
    let place = context.system(of: phone)
    if phone.outbox.count > 0 {
      if phone.isCutOff(at: t) { return .offline }
      if phone.waitsForWifi(context.systems[place]) { return .waitingForWifi }
      switch phone.upload.result {
      case .failed, .refused: return .server
      case .acknowledged, .offline, .connectionLost: return .inOutbox
      }
    }
    if phone.findsNothing(from: t, to: end, context.systems[place]) { return .noPosition }
    if phone.delivery.stage == .stored {
      return phone.provider.storedFor == .restricted ? .pushGate : .offline
    }
    if phone.pushWasGated { return .pushGate }
    return phone.isImprecise(context.systems[place]) ? .preciseOff : .policySilent
  }

  @inline(__always) private func storedPlace(_ phone: borrowing Device) -> PlanePoint {
    context.projection(of: phone.id, cohort: Int(phone.cohort))
      .point(of: phone.stored.place)
  }

  mutating func noteStored(_ phone: inout Device, now: SimInstant) {
    phone.due[.stored] = .distantFuture
    if phone.upload.bringsToken {
      phone.upload.bringsToken = false
      phone.hasOldToken = false
      phone.provider.forgetOldToken()
    }
    let newest = phone.upload.newest.instant
    guard phone.upload.newest.centiseconds > .min, newest > phone.stored.time else {
      return
    }
    account(&phone, upTo: now)
    phone.stored.time = newest
    trace(phone.id, at: now, .stored(newest))
    phone.stored.place = phone.upload.newestPlace
    pushReported(&phone, now: now)
  }

  // MARK: Energy

  mutating func charge(_ phone: inout Device, _ use: EnergyMeter) {
    if isDraining { return }
    let cohort = Int(phone.cohort)
    metrics.energy.cohorts[cohort] += use
    let bill = context.prices(cohort).bill(use)
    phone.energy.add(bill)
    phone.spend(bill.total)
  }

  mutating func chargeSend(_ phone: inout Device, wifi: Bool, bytes: Int, now: SimInstant) {
    let profile = context.prices(Int(phone.cohort)).profile
    charge(&phone, phone.energy.send(bytes: bytes, wifi: wifi, over: profile, now: now))
  }

  /// Closes every phone's energy account at the horizon, so that metrics and phones agree.
  package mutating func closeEnergy() {
    for i in 0..<count { system(&phones[i], .meterRead, now: horizon) }
  }

  package func forEachEnergy(_ body: (PhoneEnergy) -> Void) {
    for i in phones.indices {
      body(
        PhoneEnergy(
          phone: phones[i].id, tracking: phones[i].energy.tracking,
          transmission: phones[i].energy.transmission))
    }
  }

  // MARK: Batteries

  func forEachCharge(_ body: (PhoneCharge) -> Void) {
    for i in phones.indices {
      let battery = phones[i].battery
      let conditions = context.batteries[Int(phones[i].cohort)]
      body(
        PhoneCharge(
          percent: conditions.percent(battery),
          share: Double(battery.charge) / Double(conditions.capacity(battery)),
          isEmpty: battery.isEmpty, usageMilliwatts: Int(battery.usage)))
    }
  }

  mutating func batteryDue(_ phone: inout Device, now: SimInstant) {
    let wasEmpty = phone.battery.isEmpty
    system(&phone, .due(.battery), now: now)
    if wasEmpty, !phone.battery.isEmpty { reconnect(&phone, now: now) }
  }

  mutating func perform(_ step: BatteryStep, of phone: inout Device, now: SimInstant) {
    phone.behaviour.combine(5, now, step.digest)
    switch step {
    case .plugged: trace(phone.id, at: now, .edge(.charger, begins: true))
    case .unplugged: trace(phone.id, at: now, .edge(.charger, begins: false))
    case .lowPowerBegins: trace(phone.id, at: now, .edge(.lowPower, begins: true))
    case .lowPowerEnds: trace(phone.id, at: now, .edge(.lowPower, begins: false))
    case .runsEmpty:
      // The cause of the phone's silence changes.
      account(&phone, upTo: now)
      trace(phone.id, at: now, .edge(.batteryEmpty, begins: true))
      let cohort = Int(phone.cohort)
      if !isDraining {
        metrics.batteries[cohort].emptied += 1
        if !phone.battery.hasRunEmpty { metrics.batteries[cohort].phonesEmptied += 1 }
      }
    case .starts:
      account(&phone, upTo: now)
      trace(phone.id, at: now, .edge(.batteryEmpty, begins: false))
    case .firstUnlock:
      account(&phone, upTo: now)
      trace(phone.id, at: now, .edge(.firstUnlock, begins: true))
    case .restarts:
      account(&phone, upTo: now)
      trace(phone.id, at: now, .edge(.firstUnlock, begins: false))
    }
  }

  mutating func note(_ flow: BatteryFlow, _ phone: inout Device) {
    if isDraining { return }
    let cohort = Int(phone.cohort)
    metrics.batteries[cohort].others += flow.others
    metrics.batteries[cohort].charged += flow.charged
  }

  mutating func noteHour(_ hour: Int, percent: Int, _ phone: inout Device) {
    if !isDraining { metrics.batteries[Int(phone.cohort)].noteHour(hour, percent: percent) }
  }

  mutating func noteDischarge(_ time: SimDuration, ranEmpty: Bool, _ phone: inout Device) {
    if isDraining { return }
    metrics.batteries[Int(phone.cohort)].noteDischarge(time, ranEmpty: ranEmpty)
  }

  mutating func closeDischarges() {
    for i in 0..<count {
      phones[i].endDischarge(ranEmpty: false, horizon) { phone, effect, instant in
        self.perform(effect, of: &phone, now: instant)
      }
    }
  }

  // MARK: Tallies and traces

  /// Called when the counting begins.
  package mutating func startTallying() { tallies.begin(phones: count) }

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

  func trace(_ phone: PhoneID, at now: SimInstant, _ what: @autoclosure () -> TraceEvent) {
    traces[index(phone)]?.note(what(), at: now)
  }

  mutating func traceDelivery(_ phone: inout Device, _ event: OSEvent, now: SimInstant) {
    guard let trace = traces[index(phone.id)] else { return }
    let projection = context.projection(of: phone.id, cohort: Int(phone.cohort))
    trace.noteDelivery(event, located, &commands, phone.segment, projection, at: now)
  }

  func traceState(_ phone: inout Device, now: SimInstant) {
    guard let trace = traces[index(phone.id)] else { return }
    trace.noteState(
      phone.process.state, outbox: Int(phone.outbox.count),
      cause: cause(&phone, from: now, to: now), at: now)
  }
}

extension Shard {
  /// Begins the counted part of a run from a checkpoint. Only the phones' accounts change: uploads
  /// and pushes stay in flight.
  mutating func goOnCounting(freshnessWithin window: Window) {
    beginLedgers(freshnessWithin: window)
    for i in 0..<count { readPast(&phones[i]) }
    // What was drawn until now is in the next reading of each meter, and is not of this run.
    metrics.energy.negate()
    for n in metrics.batteries.indices { metrics.batteries[n].negate() }
  }

  /// Counts what a phone has drawn since its meter was last read, but does not reset the meter,
  /// which would round the battery's charge at another instant.
  private mutating func readPast(_ phone: inout Device) {
    let before = phone
    system(&phone, .meterRead, now: horizon)
    let energy = phone.energy
    phone = before
    phone.energy.leaveOut(energy)
  }

  /// Gives each phone the settings of its cohort or rollout in this scenario; an app with other
  /// settings than before applies them now.
  mutating func adopt(settingsAfter before: Scenario) {
    for i in 0..<count { adopt(&phones[i], settingsAfter: before) }
  }

  private mutating func adopt(_ phone: inout Device, settingsAfter before: Scenario) {
    let now = horizon
    let former = before.policies[Int(phone.policy)].settings
    phone.policy =
      phone.rollout > 0
      ? context.policy(ofRollout: phone.rollout)
      : UInt8(context.scenario.fleet.cohorts[Int(phone.cohort)].policy)
    guard context.scenario.policies[Int(phone.policy)].settings != former else { return }
    eventBegins(&phone, now)
    deliverFixes(&phone, upTo: now, before: .uploadOutcome)
    account(&phone, upTo: now)
    metrics[.settingsTaken] += 1
    system(&phone, .appEvent(.settingsChanged, evenIfStopped: false), now: now)
    suspendIfIdle(&phone, now: now)
    reschedule(phone)
  }

  mutating func noteFormer(_ order: UploadOrder, _ fixes: [Fix]) {
    let i = index(order.id.phone)
    guard order.id.epoch != epoch(phones[i]) else { return }
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
