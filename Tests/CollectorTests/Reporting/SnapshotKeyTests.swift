import Core
import TestSupport
import Testing
import Wire

@testable import Collector

@Suite("Keys of a snapshot", .quick)
struct SnapshotKeyTests {
  private func carried(_ reply: SnapshotReply) throws -> SnapshotReply {
    let codec = MessageCodec()
    return try codec.decode(SnapshotReply.self, from: codec.encode(reply))
  }

  @Test("a value written under a key is read under that key alone, over the wire")
  func roundTrip() throws {
    var reply = SnapshotReply()
    var sheet = Sheet()
    for (place, count) in Count.allCases.enumerated() { sheet[count] = place + 100 }
    reply.counters += NamedCount.counts(of: sheet) + NamedCount.counts(of: sheet, .clocks)
    for code in StatusCode.allCases {
      reply.counters.append(NamedCount(status: code, UInt64(code.rawValue) + 200))
    }
    reply.counters.append(NamedCount(limit: "fixesMax", 300))
    reply.pushes = NamedCount.counts(of: sheet, .wake)
    for (place, key) in DistributionKey.allCases.enumerated() {
      for (rank, percentile) in PercentileKey.allCases.enumerated() {
        reply.figures.append(NamedFigure(key, percentile, Double(500 + place * 10 + rank)))
      }
    }
    reply.figures.append(NamedFigure(.dropProbability, 0.25))
    let read = try carried(reply)
    for count in Count.allCases where count.row.counter.isAnswered && count.row.key != nil {
      #expect(read.count(count) == sheet[count], "\(count)")
      #expect(read.sheet[count] == sheet[count], "\(count)")
    }
    for code in StatusCode.allCases {
      #expect(read.answers(code) == Int(code.rawValue) + 200, "\(code)")
    }
    #expect(read.limitHits("fixesMax") == 300 && read.limitHits("encodings") == 0)
    for (place, key) in DistributionKey.allCases.enumerated() {
      for (rank, percentile) in PercentileKey.allCases.enumerated() {
        #expect(read.figure(key, percentile) == Double(500 + place * 10 + rank), "\(key)")
      }
    }
    #expect(read.figure(.dropProbability) == 0.25)
  }

  @Test("freshness is read by population, age and share")
  func freshness() throws {
    var reply = SnapshotReply()
    let keys: [FreshnessKey] = [
      .phoneSeconds, .never, .within(.minutes(5)), .within(.minutes(30)), .p50, .p95, .p99,
    ]
    for (offset, population) in PopulationKey.allCases.enumerated() {
      reply.freshness.append(
        FreshnessMetrics(
          population,
          figures: keys.enumerated().map { NamedFigure($1, Double(offset * 100 + $0)) }))
    }
    let read = try carried(reply)
    for (offset, population) in PopulationKey.allCases.enumerated() {
      for (place, key) in keys.enumerated() {
        #expect(read.freshness(population, key) == Double(offset * 100 + place))
      }
    }
    #expect(read.freshness(.installed, .within(.minutes(31))) == nil)
  }

  @Test("keys stay as wire clients know them")
  func names() {
    #expect(
      NamedCount.counts(of: Sheet()).map(\.name) == [
        "store.commits", "store.records", "store.recordsMost", "store.slow", "store.errors",
        "uploadsWaiting", "registrations", "shed.admission", "settingsHandedOut", "refusedInOutage",
        "sweeps",
        "sweepsWithoutSubscriber", "pushesDropped", "connectionsAccepted", "connections", "calls",
        "inFlightBytes", "bytesRead", "bytesWritten", "cancelled", "protocolErrors", "asksEnded",
        "asksAnswered",
      ])
    #expect(
      NamedCount.counts(of: Sheet(), .clocks).map(\.name) == [
        "clocks.phones", "clocks.stampedAhead", "clocks.ahead.second", "clocks.ahead.minute",
        "clocks.ahead.halfHour", "clocks.ahead.halfDay", "clocks.late.second",
        "clocks.late.minute", "clocks.late.halfHour", "clocks.late.halfDay",
      ])
    #expect(
      NamedCount.counts(of: Sheet(), .wake).map(\.name) == [
        "requested", "eligible", "answered", "withheld", "withheldEligible", "withheldAnswered",
        "refused", "unreachableEligible", "unreachableAnswered", "waitingForRate",
      ])
    #expect(NamedCount(status: .unavailable, 1).name == "status.UNAVAILABLE")
    #expect(NamedCount(limit: "fixesMax", 1).name == "limit.fixesMax")
    #expect(NamedFigure(.storeQueue, .p999, 1).name == "queue.store.p999")
    #expect(NamedFigure(.within(.minutes(30)), 1).name == "within.1800")
  }
}
