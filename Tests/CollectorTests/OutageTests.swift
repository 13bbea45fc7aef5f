import Core
import TestSupport
import Testing
import Wire

@testable import Collector
@testable import CollectorSupport

@Suite("A server during an outage of the scenario", .quick)
struct OutageTests {
  let folder = TemporaryFolder()

  @Test("it answers phones UNAVAILABLE and runs no sweep, and then continues where it was")
  func outage() throws {
    let collector = try LiveCollector(store: .sqlite(path: folder.path("run.db")))
    let end = LiveCollector.start + .minutes(30)
    try collector.open {
      $0.push.silentAfter = .minutes(10)
      $0.clock.scenarioStart = LiveCollector.start
    }
    try collector.register(3)
    // The same run, its clock moved into an outage from the run's start; ten minutes a second.
    let outage = OutageTerms(at: LiveCollector.start - .minutes(1), lasts: .minutes(31))
    let inbox = try collector.subscribe()
    try collector.open(speed: 600) {
      $0.push.silentAfter = .minutes(10)
      $0.outages = [outage]
    }
    #expect(throws: (any Error).self) { try collector.upload(LiveCollector.id(3, 1)) }
    #expect(throws: (any Error).self) { try collector.register(4) }
    let during = try collector.snapshot()
    #expect(during.batches.received == 0)
    #expect((during.counters.first { $0.name == "refusedInOutage" }?.value ?? 0) >= 2)
    try inbox.wait { !$0.allSatisfy { $0.requests.isEmpty } }
    let first = try #require(inbox.sweeps.first { !$0.requests.isEmpty })
    // Silent for ten minutes at 10, but the sweep at the outage's end is the first.
    #expect(first.sweptAt == end)
    #expect(first.requests.map(\.phone.rawValue) == [3])
    #expect(try collector.upload(LiveCollector.id(3, 1)).duplicate == false)
    collector.stop()
  }
}
