import Core
import TestSupport
import Testing
@testable import Transport
import Wire

@testable import Collector
@testable import CollectorSupport

@Suite("Counters of a collector", .quick)
struct CounterTests {
  @Test("each counter is written under its own key")
  func counts() {
    let keys = Count.allCases.filter { $0.row.counter == .collector && $0.row.key != nil }
    var sheet = Sheet()
    for (place, count) in keys.enumerated() { sheet[count] = place + 100 }
    var server = ServerCounters()
    server.statuses[Int(StatusCode.dataLoss.rawValue)] = 61
    server.hit(.messageTime)
    var reply = SnapshotReply()
    reply.counters = NamedCount.counts(of: sheet) + NamedCount.counts(of: server)
    for (place, count) in keys.enumerated() {
      #expect(reply.count(count) == place + 100, "\(count)")
    }
    #expect(reply.answers(.dataLoss) == 61 && reply.limitHits("messageTime") == 1)
  }

  @Test("commits are counted with their records, the largest of them apart")
  func commits() {
    var commits = CommitCounters()
    for size: UInt64 in [2, 5, 1] {
      commits.count(CommitReport(tokens: Array(0..<size), took: .zero))
    }
    #expect(commits.sheet[.commits] == 3 && commits.sheet[.committedRecords] == 8)
    #expect(commits.sheet[.mostCommittedRecords] == 5 && commits.sheet[.failedCommits] == 0)
    #expect(commits.sheet[.slowCommits] == 0)
    commits.count(CommitReport(tokens: [1], took: .milliseconds(51)))
    #expect(commits.sheet[.slowCommits] == 1)
  }

  @Test("each distribution is written under its own key, with the percentiles it has samples for")
  func distributions() {
    func histogram(_ value: Int64) -> Histogram {
      var histogram = Histogram()
      for _ in 0..<2_000 { histogram.record(value) }
      return histogram
    }
    var commits = CommitCounters()
    (commits.commit, commits.wait) = (histogram(2), histogram(3))
    var ingest = IngestCounters()
    (ingest.ingest, ingest.loopQueue) = (histogram(5), histogram(7))
    var sweeps = SweepCounters()
    sweeps.lateness.record(11)
    var reply = SnapshotReply()
    reply.figures = commits.figures + ingest.figures + sweeps.figures
    let expected: [DistributionKey: Double] = [
      .commit: 2, .storeQueue: 3, .ingest: 5, .loopQueue: 7, .dutyLateness: 11,
    ]
    for (key, value) in expected { #expect(reply.figure(key, .max) == value, "\(key)") }
    #expect(reply.figure(.commit, .p50) == 2 && reply.figure(.loopQueue, .p99) == 7)
    #expect(reply.figure(.dutyLateness, .p999) == nil)
  }

  @Test("a running collector writes every key, and no unknown one")
  func running() throws {
    let folder = TemporaryFolder()
    let collector = try LiveCollector(store: .sqlite(path: folder.path("run.db")))
    try collector.open()
    try collector.register(3)
    try collector.upload(LiveCollector.id(3, 1))
    _ = collector.failure { try collector.upload(LiveCollector.id(1_000, 1)) }
    let reply = try collector.snapshot()
    let counters = Set(reply.counters.map(\.name))
    let families = counters.filter { $0.hasPrefix("status.") || $0.hasPrefix("limit.") }
    #expect(
      counters.subtracting(families)
        == Set([.collector, .clocks].flatMap { NamedCount.counts(of: Sheet(), $0).map(\.name) }))
    #expect(reply.count(.clocksSeen) == 1)
    #expect(reply.answers(.invalidArgument) == 1 && reply.count(.registrations) == 1)
    #expect(families.contains("limit.fixesMax") && families.contains("limit.connectionsMax"))
    #expect(Set(reply.pushes.map(\.name)) == Set(NamedCount.counts(of: Sheet(), .wake).map(\.name)))
    for key in DistributionKey.allCases { #expect(reply.figure(key, .max) != nil, "\(key)") }
    #expect(reply.figure(.dropProbability) == 0)
    for population in PopulationKey.allCases {
      #expect(reply.freshness(population, .never) != nil, "\(population)")
      #expect(reply.freshness(population, .within(.minutes(30))) != nil, "\(population)")
    }
    collector.stop()
  }
}
