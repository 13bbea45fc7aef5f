import Core
import Scenarios
import TestSupport
import Testing

@testable import Fleet

@Suite("Traces", .quick)
struct PhoneTraceTests {
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
