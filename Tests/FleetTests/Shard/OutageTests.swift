import Core
import ServerLogic
import TestSupport
import Testing

@testable import Fleet
@testable import Scenarios

@Suite("Server outage in virtual time", .quick)
struct OutageTests {
  private static func city(outageFor lasts: SimDuration, then more: SimDuration) -> Scenario {
    var scenario = VirtualMorning.city()
    scenario.duration = .hours(1) + lasts + more
    scenario.faults = [
      Fault(
        kind: .serverOutage, at: scenario.start + .hours(1), lasts: lasts, lastsWall: .zero,
        cohorts: nil, share: 1)
    ]
    return scenario
  }

  @Test("during it nothing reaches the server, no push is sent, and uploads fail")
  func during() {
    let scenario = Self.city(outageFor: .hours(1), then: .zero)
    let morning = VirtualMorning(scenario, threads: 2)
    let begin = scenario.faults[0].at
    let last = (0..<scenario.fleet.phones).map {
      morning.time.backend.snapshot(of: PhoneID(rawValue: UInt32($0))).reportedAt
    }
    #expect(last.allSatisfy { $0 < begin })
    #expect(last.contains { $0 >= begin - .minutes(5) })
    #expect(morning.time.backend.occasions.allSatisfy { $0.at < begin })
    #expect(!morning.time.backend.occasions.isEmpty)
    #expect(morning.fleet.metrics()[.uploadsFailed] > 10)
  }

  @Test("at its end every due phone is pushed, and nothing was lost")
  func after() {
    let scenario = Self.city(outageFor: .hours(1), then: .hours(1))
    var morning = VirtualMorning(scenario, threads: 2)
    let fault = scenario.faults[0]
    let end = fault.at + fault.lasts
    let occasions = morning.time.backend.occasions
    #expect(occasions.allSatisfy { $0.at < fault.at || $0.at >= end })
    let first = occasions.count { $0.at == end }
    let usual = occasions.count { $0.at < fault.at } / 60
    #expect(first > 5 * max(1, usual), "\(first) at the end, \(usual) a sweep before")
    morning.time.drain()
    #expect(morning.fleet.ledger().check() == [])
    #expect(morning.time.backend.ledger.isExact)
    #expect(morning.time.backend.ledger.batches.duplicate == 0)
    let acknowledged = morning.fleet.ledger().batches.acknowledged
    #expect(morning.time.backend.ledger.batches.distinct >= acknowledged)
  }
}
