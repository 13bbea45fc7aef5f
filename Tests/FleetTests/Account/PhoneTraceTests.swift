import Core
import Scenarios
import TestSupport
import Testing

@testable import Fleet

@Suite("Traces", .quick)
struct PhoneTraceTests {
  @Test("a trace of deliveries has the system's events for the app, and nothing else")
  func deliveries() {
    let scenario = Scenario.standard(phones: 4)
    func entries(_ scope: PhoneTrace.Scope) -> [(at: SimInstant, what: TraceEvent)] {
      let trace = PhoneTrace(phone: PhoneID(rawValue: 1), scope)
      let fleet = PhoneFleet(scenario, threads: 1, tracing: [trace])
      let birth = scenario.start - scenario.warmStart
      var time = VirtualTime(
        fleet: fleet, backend: VirtualTime.newBackend(for: fleet, at: birth))
      time.advance(until: scenario.start)
      return trace.entries
    }
    func deliveries(_ entries: [(at: SimInstant, what: TraceEvent)]) -> [SimInstant] {
      entries.compactMap { if case .delivered = $0.what { $0.at } else { nil } }
    }
    let (all, some) = (entries(.everything), entries(.deliveries))
    #expect(deliveries(all) == some.map(\.at))
    #expect(!some.isEmpty && some.count < all.count)
  }

  @Test("a trace keeps the recordings of its segments after the fleet is freed")
  func outlivesItsFleet() {
    let trace = PhoneTrace(phone: PhoneID(rawValue: 1))
    weak var context: FleetContext?
    do {
      let fleet = PhoneFleet(.standard(phones: 2), threads: 1, tracing: [trace])
      context = fleet.context
      #expect(fleet.shardCount == 1)
    }
    #expect(!trace.entries.isEmpty)
    #expect(context != nil)
  }
}
