import Collector
@testable import Core
import Foundation
import TestSupport
import Testing
import Transport
import Wire

@testable import flotilla_lab

@Suite("Ingest benchmark", .quick)
struct IngestTests {
  @Test("the short form runs each row with bars once")
  func bars() {
    let bars = IngestPlan.short.map { $0.bars.count }
    #expect(bars == [4, 2, 2, 2, 0, 1, 3])
    #expect(IngestPlan(.pooled, connections: 1_000).bars.isEmpty)
    var secured = IngestPlan(.perPhone, connections: 1_000, carrier: .grpc)
    secured.security = .on
    #expect(secured.bars == [BenchBar("serverBytesPerConnection", .atMost(30_720))])
    #expect(Set(IngestPlan.all.map { "\($0.parameters)" }).count == IngestPlan.all.count)
  }

  @Test("2,000 resumed connections per second require a valid generator")
  func resumed() {
    var plan = IngestPlan(.perUpload, connections: 1_000, pace: 2_000)
    #expect(plan.bars.isEmpty)
    plan.security = .resumed
    #expect(
      plan.bars.map(\.figure) == [
        "batchesPerSecond", "generatorLagP99Microseconds", "resumedShare", "failed",
      ])
    let figures = Self.window.figures(plan)
    // 800 resumed and 20 full handshakes between the two readings.
    let share = figures.first { $0.figure == "resumedShare" }?.samples.first
    #expect(share == 800.0 / 820)
  }

  @Test("the sharing mode determines the number of phones and sockets")
  func sharing() {
    #expect(IngestPlan(.perPhone, connections: 10, inFlight: 8).phones == 10)
    #expect(IngestPlan(.pooled, connections: 10, inFlight: 8).phones == 80)
    #expect(IngestPlan(.pooled, connections: 10, inFlight: 8).sockets == 10)
    #expect(IngestPlan(.perUpload, connections: 10, inFlight: 8).sockets == 80)
  }

  private static func look(
    second: Int64, distinct: UInt64, cpu: UInt64, bytes: UInt64, resident: Int
  ) -> IngestWindow.Look {
    var server = SnapshotReply()
    server.batches.distinct = distinct
    server.cpuMicroseconds = cpu
    server.rssBytes = UInt64(resident)
    server.figures = [NamedFigure(.commit, .p99, 3_500)]
    var sent = Sheet()
    sent[.bytesSent] = Int(bytes)
    sent[.handshakesFull] = Int(second) * 10
    sent[.handshakesResumed] = Int(bytes) / 1_000
    return IngestWindow.Look(
      at: WallInstant(microseconds: second * 1_000_000), server: server,
      client: ProcessMetrics(
        cpuMicroseconds: Int64(cpu) * 2, residentBytes: resident * 3, peakResidentBytes: 0),
      sent: sent)
  }

  private static var window: IngestWindow {
    var tally = IngestDriver.Tally()
    for _ in 0..<1_000 { tally.response.record(200) }
    tally.failed = 3
    let idle = look(second: 0, distinct: 0, cpu: 0, bytes: 0, resident: 1_000_000)
    let end = look(second: 3, distinct: 5_000, cpu: 50_000, bytes: 900_000, resident: 1_500_000)
    return IngestWindow(
      idle: idle,
      begin: look(second: 1, distinct: 1_000, cpu: 10_000, bytes: 100_000, resident: 1_400_000),
      end: end, tally: tally, last: end)
  }

  @Test("figures are per batch, per fix and per connection")
  func figures() {
    let plan = IngestPlan(.perPhone, connections: 100, isDurable: true)
    let row = BenchRow(
      bench: "ingest", parameters: plan.parameters,
      figures: Self.window.figures(plan).filter { !$0.samples.isEmpty }
        .map { ($0.figure, BenchFigure($0.samples)) })
    let medians = Dictionary(uniqueKeysWithValues: row.figures.map { ($0.name, $0.value.median) })
    #expect(
      medians == [
        "batchesPerSecond": 2_000, "serverCpuMicroseconds": 10, "clientCpuMicroseconds": 20,
        "responseP99Microseconds": 200, "bytesPerFix": 10, "serverBytesPerConnection": 5_000,
        "clientBytesPerConnection": 15_000, "groupDelayMilliseconds": 2,
        "commitP99Milliseconds": 3.5, "shed": 0, "failed": 3,
      ])
  }

  @Test("in JSON, a row has connections, batches in flight and CPU of both sides")
  func json() throws {
    let plan = IngestPlan(.perPhone, connections: 1_000, inFlight: 8, pace: 5_000)
    let row = BenchRow(
      bench: "ingest", parameters: plan.parameters,
      figures: Self.window.figures(plan).filter { !$0.samples.isEmpty }
        .map { ($0.figure, BenchFigure($0.samples)) })
    let data = Data(try BenchTable([row]).json().utf8)
    let read = try #require(try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
    #expect(read[0]["connections"] as? Int == 1_000)
    #expect(read[0]["inFlight"] as? Int == 8)
    #expect(read[0]["pacedPerSecond"] as? Int == 5_000)
    #expect(read[0]["mode"] as? String == "per-phone")
    for name in ["batchesPerSecond", "serverCpuMicroseconds", "clientCpuMicroseconds"] {
      let figure = try #require(read[0][name] as? [String: Double])
      #expect(Set(figure.keys) == ["median", "min", "max"])
    }
  }
}
