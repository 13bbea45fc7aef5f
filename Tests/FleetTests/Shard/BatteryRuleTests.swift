import Core
import Push
import TestSupport
import Testing

@testable import Fleet
@testable import Phone
@testable import Scenarios

@Suite("Empty batteries in a fleet", .quick)
struct BatteryRuleTests {
  /// Stays at home with a battery that lasts the day, and is charged at night.
  static func bench(
    wattHours: Double = 1.2, _ change: (inout Scenario) -> Void = { _ in }
  ) -> PhoneBench {
    PhoneBench(.answering) {
      $0.plainPushes()
      $0.push.expiration = .hours(24)
      $0.fleet.phone.chargesAtNight = 1
      $0.fleet.cohorts[0].energy.value.batteryWattHours = wattHours
      change(&$0)
    }
  }

  @Test("BT3: the provider keeps a push for an empty phone as for any that is switched off")
  func push() {
    let bench = Self.bench()
    bench.advance(until: .hours(14))
    #expect(bench.phone.battery.isEmpty)
    bench.request()
    #expect(bench.phone.delivery.stage == .stored)
    #expect(bench.phone.provider.storedFor == .switchedOff)
    bench.advance(.hours(1))
    #expect(bench.pushesDelivered.isEmpty)
  }

  @Test("BT3, BT4, BT5: the diary has the warning, the end, the start and the first unlock")
  func diary() {
    let bench = Self.bench { $0.fleet.phone.battery.lowPowerWhenLow = 1 }
    bench.advance(until: .hours(30))
    let edges = bench.edges.map { "\($0.edge) \($0.begins)" }
    #expect(
      edges == [
        "lowPower true", "batteryEmpty true", "charger true", "batteryEmpty false",
        "lowPower false", "charger false", "firstUnlock true",
      ])
    let causes = bench.causes
    #expect(causes.contains(.batteryEmpty) && causes.last != .batteryEmpty)
  }

  @Test(
    "BT3: an empty phone that was also switched off has that cause, and is off until both end")
  func switchedOffToo() {
    let bench = Self.bench()
    bench.advance(until: .hours(14))
    #expect(bench.phone.battery.isEmpty)
    bench.act { shard, now in
      shard.account(&shard.phones[0], upTo: now)
      shard.system(
        &shard.phones[0], .switchedOff(Window(start: now, end: now + .hours(1))), now: now)
    }
    bench.advance(.seconds(1))
    #expect(bench.causes.last == .switchedOff)
    bench.advance(.minutes(61))
    #expect(bench.causes.last == .batteryEmpty && bench.phone.isOff(at: bench.now))
  }
}

extension PhoneBench {
  fileprivate var edges: [(edge: TraceEvent.Edge, begins: Bool)] {
    entries.compactMap { entry in
      guard case .edge(let edge, let begins) = entry.what else { return nil }
      switch edge {
      case .charger, .lowPower, .batteryEmpty, .firstUnlock: return (edge, begins)
      case .offline, .switchedOff, .airplane, .forceQuit, .lookedAt, .endedForMemory, .updated,
        .reinstalled:
        return nil
      }
    }
  }

  fileprivate var causes: [StaleCause] {
    entries.compactMap { if case .cause(let cause) = $0.what { cause } else { nil } }
  }
}
