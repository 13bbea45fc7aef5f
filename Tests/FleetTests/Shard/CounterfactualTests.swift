import Core
import Phone
import Scenarios
import TestSupport
import Testing

@testable import Fleet

/// A fleet at an instant of its morning, from which it can continue in two ways.
private struct Crossroads {
  static let scenario: Scenario = {
    var scenario = VirtualMorning.city(phones: 200)
    scenario.phases.ramp = .zero
    scenario.push.scheduler = .none
    return scenario
  }()
  static let instant = scenario.start + .minutes(20)

  let fleet = PhoneFleet(scenario, threads: 1)

  init() {
    fleet.inOrder { $0.advance(before: Self.scenario.start) }
    _ = fleet.startCounting(
      after: VirtualTime.newBackend(for: fleet, at: Self.scenario.start), answers: .inProcess)
    fleet.inOrder { shard in
      shard.startCounterfactuals()
      shard.advance(before: Self.instant)
      shard.clearOrders()
    }
  }

  static let pushes = (0..<UInt32(200)).map {
    SilentPush(
      id: UInt64($0) + 1, phone: PhoneID(rawValue: $0), requestedAt: instant,
      expiration: instant + .minutes(30))
  }

  /// By phone: when its first good fix taken from now on reaches the server within W.
  func reports() -> [UInt32: SimInstant] {
    let push = Self.scenario.push
    var first: [UInt32: SimInstant] = [:]
    fleet.inOrder { shard in
      shard.advance(before: Self.instant + push.within + .microseconds(1))
      for order in shard.orders where order.reachesServer <= Self.instant + push.within {
        let fixes = shard.orderFixes[
          Int(order.firstFix)..<Int(order.firstFix) + Int(order.fixCount)]
        let answers = fixes.contains {
          $0.time > FixTime(Self.instant) && Double($0.accuracyMeters) <= push.accuracyLimit.meters
        }
        let phone = order.id.phone.rawValue
        if answers, first[phone] == nil { first[phone] = order.reachesServer }
      }
    }
    return first
  }
}

@Suite("Counterfactual of a push", .quick)
struct CounterfactualTests {
  @Test("the counterfactual is what the phone does without the push")
  func comesTrue() {
    let crossroads = Crossroads()
    crossroads.fleet.runCounterfactuals(Crossroads.pushes)
    var counterfactualReports: [UInt32: SimInstant] = [:]
    var asked = 0
    crossroads.fleet.inOrder { shard in
      asked += shard.counterfactualReports.count
      for (id, at) in shard.counterfactualReports where at < .distantFuture {
        counterfactualReports[UInt32(id - 1)] = at
      }
    }
    #expect(asked == 200)
    #expect(!counterfactualReports.isEmpty && counterfactualReports.count < 200)
    #expect(counterfactualReports == crossroads.reports())
  }

  @Test("simulating the counterfactual changes nothing in the phones")
  func leavesNoTrace() {
    let (a, b) = (Crossroads(), Crossroads())
    a.fleet.runCounterfactuals(Crossroads.pushes)
    #expect(a.reports() == b.reports())
    #expect(a.fleet.digest() == b.fleet.digest())
    let (one, two) = (a.fleet.metrics(), b.fleet.metrics())
    #expect(one.counts == two.counts)
  }

  @Test("a push too near the end of the measured time has no counterfactual")
  func nearTheEnd() {
    let crossroads = Crossroads()
    var late = Crossroads.pushes[0]
    late.requestedAt = Crossroads.scenario.measureEnd - .minutes(9)
    crossroads.fleet.runCounterfactuals([late])
    crossroads.fleet.inOrder { #expect($0.counterfactualReports.isEmpty) }
  }
}
