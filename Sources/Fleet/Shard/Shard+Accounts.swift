internal import Core
internal import Phone
internal import Scenarios

extension Shard {
  // MARK: Freshness

  mutating func note(_ stretch: Device.Stretch, _ phone: borrowing Device) {
    let (from, to, staleFrom) = (stretch.from, stretch.to, stretch.staleFrom)
    if !stretch.stored.isNever, tallies.areKept {
      tallies.noteError(
        index(phone.id), of: place(of: stretch.stored, phone), phone.segment, from: from, to: to)
    }
    metrics.freshness.add(
      stretch.stored, from, to,
      located: timeLocated(phone, stretch.stored, from: from, to: to), staleFrom: staleFrom,
      isReachable: stretch.isReachable, isMoving: phone.segment.isMoving,
      cohort: Int(phone.cohort))
    if staleFrom < to {
      metrics.cohorts[Int(phone.cohort)].stale.add(to - staleFrom, stretch.cause)
    }
    silence.add(
      phone.segment, from, to, staleFrom: staleFrom, isReachable: stretch.isReachable,
      stretch.cause)
  }

  @inline(__always) private func timeLocated(
    _ phone: borrowing Device, _ stored: StoredFix, from: SimInstant, to: SimInstant
  ) -> SimDuration {
    guard !stored.isNever else { return .zero }
    return phone.segment.timeWithin(
      place(of: stored, phone), radius: metrics.freshness.reach.meters, from: from, to: to)
  }

  /// Returns the freshness of the counted time so far. Reads every phone, to add the time since its
  /// account was last closed; without that time the metrics would be too fresh.
  package func freshness() -> FreshnessMetrics {
    var sum = metrics.freshness
    if effects.isDraining { return sum }
    let to = min(horizon, effects.accounting.end)
    for i in phones.indices {
      let from = max(phones[i].mark, effects.accounting.start)
      guard from < to else { continue }
      let stored = phones[i].stored
      sum.add(
        stored, from, to, located: timeLocated(phones[i], stored, from: from, to: to),
        staleFrom: stored.isNever ? from : max(from, stored.time + sum.limit),
        isReachable: phones[i].isReachable, isMoving: phones[i].segment.isMoving,
        cohort: Int(phones[i].cohort))
    }
    return sum
  }

  @inline(__always) private func place(
    of stored: StoredFix, _ phone: borrowing Device
  ) -> PlanePoint {
    context.projection(of: phone).point(of: stored.place)
  }

  mutating func noteStored(_ phone: inout Device, now: SimInstant) {
    effects.now = now
    phone.noteStored(context.systems[context.system(of: phone)], &effects)
    settle(&phone)
  }

  // MARK: Energy

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
      let conditions = context.battery(Int(phones[i].cohort))
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

  mutating func note(_ step: BatteryStep, of phone: borrowing Device, now: SimInstant) {
    let (edge, begins): (TraceEvent.Edge, Bool) =
      switch step {
      case .plugged: (.charger, true)
      case .unplugged: (.charger, false)
      case .lowPowerBegins: (.lowPower, true)
      case .lowPowerEnds: (.lowPower, false)
      case .runsEmpty: (.batteryEmpty, true)
      case .starts: (.batteryEmpty, false)
      case .firstUnlock: (.firstUnlock, true)
      case .restarts: (.firstUnlock, false)
      }
    trace(phone.id, at: now, .edge(edge, begins: begins))
    if step == .runsEmpty, !effects.isDraining { metrics.batteries[Int(phone.cohort)].emptied += 1 }
  }

  mutating func closeDischarges() {
    for i in 0..<count {
      effects.now = horizon
      phones[i].endDischarge(ranEmpty: false, &effects)
      settle(&phones[i])
    }
  }

  // MARK: Tallies and traces

  /// Starts a tally for each phone when the counting begins.
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
    guard let trace = traces[index(phone)], trace.scope == .everything else { return }
    trace.note(what(), at: now)
  }

  func traceDelivery(
    of event: OSEvent, _ source: FixSource, isKept: Bool, _ phone: borrowing Device,
    now: SimInstant
  ) {
    let projection = context.projection(of: phone)
    traces[index(phone.id)]?.noteDelivery(
      event, source, isKept: isKept, phone.segment, projection, at: now)
  }

  func traceState(_ phone: inout Device, now: SimInstant) {
    guard let trace = traces[index(phone.id)], trace.scope == .everything else { return }
    trace.noteState(
      phone.process.state, outbox: Int(phone.outbox.count),
      cause: phone.cause(from: now, to: now, context.systems[context.system(of: phone)]), at: now)
  }
}

extension Shard {
  /// Begins the counted part of a run from a checkpoint. Changes only the phones' accounts: uploads
  /// and pushes stay in flight.
  mutating func goOnCounting(freshnessWithin window: Window) {
    beginLedgers(freshnessWithin: window)
    for i in 0..<count { readPast(&phones[i]) }
    // The next reading includes energy from before this run, which is subtracted here.
    metrics.energy.negate()
    for n in metrics.batteries.indices { metrics.batteries[n].negate() }
  }

  /// Counts the energy that a phone has used since its meter was last read. Does not reset the
  /// meter, because a reset would round the battery's charge at another instant.
  private mutating func readPast(_ phone: inout Device) {
    let before = phone
    system(&phone, .meterRead, now: horizon)
    let energy = phone.energy
    phone = before
    phone.energy.leaveOut(energy)
  }

  /// Gives each phone the settings of its cohort or rollout in this scenario. An app whose settings
  /// changed applies them now.
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
