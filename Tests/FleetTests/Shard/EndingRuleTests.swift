import Core
import Phone
import PhoneSupport
import ServerLogic
import TestSupport
import Testing

@testable import Fleet
@testable import Push
@testable import Scenarios

@Suite("App endings in the ledgers", .quick)
struct EndingRuleTests {
  /// Stays, and goes for a ride at half past eight in the morning of each day.
  static let days: [Stretch] = [
    .stay(.hours(1)), .ride(.minutes(30), metersPerSecond: 12), .stay(.minutes(1_410)),
    .ride(.minutes(30), metersPerSecond: 12), .stay(.hours(20)),
  ]

  static func bench(
    _ settings: PolicySettings = LifecycleRuleTests.changes, needsOpening: Double,
    way: [Stretch] = days, change: @escaping (inout Scenario) -> Void = { _ in }
  ) -> PhoneBench {
    PhoneBench(settings, way: way) { scenario in
      scenario.fleet.phone.chargesAtNight = 1
      scenario.fleet.phone.updates = AppUpdates(
        perYear: 365, soon: 1, soonWithin: .hours(1), halfLife: .hours(24),
        needsOpening: needsOpening)
      change(&scenario)
    }
  }

  @Test("LC15: an update at night ends the process, and the next ride starts the new version")
  func update() throws {
    let bench = Self.bench(needsOpening: 0)
    bench.advance(until: .hours(12))
    #expect(bench.phone.tracker.lastSequence > 0 && bench.updates.isEmpty)
    var (sequence, waits) = (UInt32(0), UInt16(0))
    while bench.updates.isEmpty, bench.age < .hours(24) {
      (sequence, waits) = (bench.phone.tracker.lastSequence, bench.phone.outbox.count)
      bench.advance(.minutes(1))
    }
    let at = try #require(bench.updates.first)
    let time = bench.scenario.clock.timeOfDay(at: at)
    #expect(time >= .hours(23) || time < .hours(6))
    #expect(bench.state == .notRunning && bench.metrics[.updates] == bench.updates.count)
    #expect(bench.phone.tracker.lastSequence == sequence && bench.phone.outbox.count == waits)
    #expect(!bench.causes.contains(.updated), "a suspended app would have been silent, too")
    let launches = bench.metrics[.launches]
    bench.advance(until: .hours(26))
    #expect(bench.metrics[.launches] > launches && bench.phone.tracker.lastSequence > sequence)
  }

  @Test("LC15: if the new version needs opening, the silence is charged to the update")
  func needsOpening() {
    let bench = Self.bench(needsOpening: 1)
    bench.advance(until: .hours(26))
    #expect(bench.causes.last == .updated && bench.state == .notRunning)
    let stale = bench.metrics.stale[.updated]
    #expect(stale > .hours(1))
    bench.open()
    bench.leave()
    #expect(bench.causes.last != .updated)
    bench.advance(.hours(1))
    #expect(bench.metrics.stale[.updated] >= stale)
  }

  @Test("LC15: no update away from a charger, in Low Power Mode, or while the phone is off")
  func conditions() {
    let unplugged = Self.bench(needsOpening: 0) { $0.fleet.phone.chargesAtNight = 0 }
    let saving = Self.bench(needsOpening: 0) { $0.fleet.phone.lowPower = 1 }
    let away = Self.bench(needsOpening: 0, way: [.ride(.hours(26), metersPerSecond: 12)])
    let off = Self.bench(needsOpening: 0)
    off.advance(until: .hours(14))
    off.act { shard, now in
      shard.system(
        &shard.phones[0], .switchedOff(Window(start: now, end: now + .hours(11))), now: now)
    }
    for bench in [unplugged, saving, away, off] {
      bench.advance(until: .hours(25))
      #expect(bench.updates.isEmpty)
    }
  }

  @Test("LC14: time without the service after an end for memory is charged to that")
  func memory() throws {
    var settings = PolicySettings.quiet
    settings.background.service = .standard
    settings.significantChange = true
    let bench = PhoneBench(settings, way: Self.days) { scenario in
      scenario.fleet.phone.memory = MemoryPressure(
        perScreenHour: 0, perIdleHour: 100, whileRunning: 1, sigma: 0)
    }
    bench.open()
    bench.command(.startStandard(.background))
    bench.leave()
    bench.advance(until: .minutes(59))
    #expect(bench.metrics[.endedForMemory] >= 1 && bench.state == .notRunning)
    #expect(bench.causes.last == .endedForMemory)
    bench.advance(until: .minutes(100))
    #expect(bench.causes.last != .endedForMemory)
  }

  // MARK: LC16

  /// A phone whose app is deleted within a day or two, and reinstalled an hour later.
  static func deleted(_ change: @escaping (inout Scenario) -> Void = { _ in }) -> PhoneBench {
    let bench = PhoneBench(LifecycleRuleTests.changes, way: days) { scenario in
      scenario.fleet.phone.reinstalls = Reinstalls(
        perYear: 365, away: .hours(1), awaySigma: 0)
      change(&scenario)
    }
    while !bench.phone.isRemoved, bench.age < .hours(72) { bench.advance(.minutes(1)) }
    return bench
  }

  private static func outage(_ scenario: Scenario) -> Fault {
    Fault(
      kind: .networkOutage, at: scenario.start, lasts: .hours(90), lastsWall: .zero, cohorts: nil,
      share: 1)
  }

  @Test("LC16: a deleted app loses its services, its permission and its outbox")
  func removed() {
    let bench = Self.deleted { $0.faults = [Self.outage($0)] }
    #expect(bench.phone.isRemoved && bench.state == .notRunning)
    #expect(bench.phone.authorization == .notDetermined)
    #expect(!bench.phone.services.significantChangeIsOn && bench.phone.outbox.count == 0)
    #expect(bench.causes.last == .reinstalled)
    #expect(bench.metrics[.fixesRemoved] > 0 && bench.metrics[.batchesRemoved] <= 1)
    let kept = bench.metrics[.fixesPersisted]
    #expect(kept == bench.metrics[.fixesRemoved] + bench.metrics[.fixesAcknowledged])
  }

  @Test("LC16: a background transfer that waits is cancelled, and not reported to the next app")
  func transferRemoved() {
    let bench = Self.deleted {
      $0.faults = [Self.outage($0)]
      $0.policies[0].settings.send.session = .background
    }
    #expect(bench.metrics[.batchesRemoved] == 1 && bench.phone.transfer.stage == .none)
    bench.advance(until: .hours(110))
    let metrics = bench.metrics
    #expect(metrics[.batchesAcknowledged] + metrics[.batchesRemoved] <= metrics[.batchesCut])
  }

  @Test(
    "LC16: the new installation asks again, counts from 1 in a new epoch, and registers a token")
  func installedAnew() throws {
    let bench = Self.deleted()
    let launches = bench.metrics[.launches]
    #expect(bench.shard.epoch(bench.phone) == 2 && bench.phone.hasOldToken)
    let mark = bench.shard.orders.count
    while bench.phone.isRemoved, bench.age < .hours(90) { bench.advance(.minutes(1)) }
    #expect(bench.metrics[.launches] == launches + 1)
    #expect(bench.phone.authorization == .always && bench.causes.last != .reinstalled)
    while bench.shard.orders.count == mark, bench.age < .hours(90) { bench.advance(.minutes(1)) }
    let order = try #require(bench.shard.orders.dropFirst(mark).first)
    #expect(order.id.epoch == 2 && order.id.sequence == 1 && order.registers)
    bench.advance(.minutes(2))
    #expect(!bench.phone.hasOldToken)
  }

  @Test("LC16, PN1: until then pushes to the old token wake no app, and end as unregistered")
  func oldToken() {
    let bench = Self.deleted()
    bench.request()
    bench.advance(.minutes(1))
    #expect(bench.outcomes.last == .unregistered && bench.pushesDelivered.isEmpty)
    #expect(bench.shard.takePushStatuses().last?.status == 200)
    #expect(bench.phone.provider.goneFromHour != 0)
  }

  @Test("LC16: a push in flight to the deleted app is not delivered")
  func pushInTransit() {
    let bench = Self.deleted()
    bench.push()
    #expect(bench.outcomes.last == .unregistered && bench.pushesDelivered.isEmpty)
  }

  @Test("LC16: unanswered batches of a deleted app may be stored, and are no loss")
  func ledger() throws {
    var scenario = Scenario.standard(phones: 30)
    scenario.warmStart = .hours(6)
    scenario.duration = .hours(36)
    scenario.fleet.phone.reinstalls = Reinstalls(perYear: 365, away: .hours(1), awaySigma: 1)
    let fleet = PhoneFleet(scenario, threads: 2)
    var warm = VirtualTime(
      fleet: fleet,
      backend: VirtualTime.newBackend(for: fleet, at: scenario.start - scenario.warmStart))
    warm.advance(until: scenario.start)
    let snapshots = fleet.startCounting(after: warm.backend, answers: .inProcess)
    var backend = Backend(
      phones: scenario.fleet.phones, seed: scenario.seed, push: scenario.push.terms,
      hashKey: fleet.context.hashKey)
    for snapshot in snapshots { _ = backend.restore(snapshot, at: scenario.start) }
    var time = VirtualTime(fleet: fleet, backend: backend)
    time.advance(until: scenario.measureEnd)
    time.drain()
    #expect(fleet.metrics()[.reinstalls] > 10)
    let proof = BatchProof(fleet, restored: snapshots.map(\.sequences.order)) {
      time.backend.holds($0)
    }
    #expect(proof.acknowledgedMissing.isEmpty)
    #expect(proof.expectedHash == time.backend.ledger.hashSum)
    let ledger = fleet.ledger()
    #expect(ledger.fixes.evictedBy[.reinstall] ?? 0 == fleet.metrics()[.fixesRemoved])
    #expect(
      Int(time.backend.ledger.batches.distinct)
        == ledger.batches.acknowledged + proof.unknownStored)
    let epochs = Set(
      time.backend.holdings(from: PhoneID(rawValue: 0), limit: 30).flatMap { holding in
        holding.runs.map { $0.epoch }
      })
    #expect(epochs.isSuperset(of: [1, 2]))
  }
}

extension PhoneBench {
  /// When a new version of the app was installed.
  fileprivate var updates: [SimInstant] {
    entries.compactMap { if case .edge(.updated, _) = $0.what { $0.at } else { nil } }
  }

  fileprivate var causes: [StaleCause] {
    entries.compactMap { if case .cause(let cause) = $0.what { cause } else { nil } }
  }
}
