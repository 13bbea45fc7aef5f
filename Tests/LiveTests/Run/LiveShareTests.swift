import Collector
import Core
import Dispatch
import Figures
import Fleet
import Foundation
import Synchronization
import TestSupport
import Testing
import Transport
import Uploads
import Targets

@testable import Run
@testable import Scenarios
@testable import RunSupport

@Suite("A live run in several processes", .live, .timeLimit(.minutes(10)))
struct LiveShareTests {
  @Test("three processes load one collector, and the first writes the record of all")
  func record() throws {
    let shown = Mutex<[Int: [Int]]>([:])
    let outcome = try RunningCollector.use { target in
      try ThreadShares(3).run { link in
        LiveShares.load(link, target) { phones in
          shown.withLock { $0[link.place.number, default: []].append(phones) }
        }
      }[0].get()
    }
    let record = outcome.record
    // The first process shows all phones, each second once; the others show nothing.
    let phones = shown.withLock { $0 }
    #expect(Array(phones.keys) == [0] && phones[0]?.allSatisfy { $0 == 200 } == true)
    #expect(phones[0]?.count == outcome.timeline.count)
    #expect(record.verdict != .loss && record.verdict != .interrupted, "\(record.reasons)")
    #expect(record.scenario.phones == 200 && outcome.account?.isWhole == true)
    #expect(record.ledger.batches.lost == 0 && record.ledger.batches.distinct > 0)
    #expect(record.ledger.batches.acknowledged == outcome.account?.metrics[.batchesAcknowledged])
    #expect(outcome.account?.sending?.processes.count == 3)
    #expect(
      record.machine.processes.keys.sorted() == ["generator", "generator 2", "generator 3"])
    let rows = try #require(record.machine.generators)
    #expect(rows.map(\.name) == ["generator", "generator 2", "generator 3"])
    #expect(rows.map(\.firstPhone) == [0, 66, 133] && rows.map(\.phones) == [66, 67, 67])
    let rates = rows.compactMap(\.batchesPerSecond)
    #expect(rates.count == 3 && rates.allSatisfy { $0 > 0 })
    let sum = try #require(record.throughput.batchesPerSecond)
    #expect(abs(rates.reduce(0, +) - sum) < 1e-6 * sum)
    #expect(rows.allSatisfy { $0.lagMaxMicroseconds ?? -1 >= 0 })
    let log = try LatencyLog.sums(of: try #require(outcome.latencyLog))
    #expect(log.response.total == outcome.account?.sending?.latency.response.total)
    // Rows are of all phones and of the time before the drain.
    #expect(outcome.timeline.contains { $0.acknowledgedPerSecond > 0 })
  }

  /// The generator is the tests' own process: if other tests fill both cores meanwhile, the run is
  /// invalid, which is reported first.
  private static func isBusy(_ record: RunRecord) -> Bool {
    record.reasons.contains {
      $0.contains("run measures the ") || $0.contains("generator was late")
        || $0.contains("generator fell behind")
    }
  }

  @Test("an interrupted process stops all, without loss of acknowledged batches")
  func interrupted() throws {
    let outcomes = try RunningCollector.use { target in
      ThreadShares(3).run { link in
        LiveShares.load(
          link, target, interruptedAfter: link.place.number == 1 ? .milliseconds(1_500) : nil)
      }
    }
    for outcome in outcomes {
      let record = try outcome.get().record
      let isBusy = Self.isBusy(record)
      #expect(record.verdict == (isBusy ? .invalid : .interrupted), "\(record.reasons)")
      #expect(record.reasons.contains { $0.hasPrefix("Stopped at ") }, "\(record.reasons)")
      #expect(record.ledger.batches.lost == 0)
    }
    #expect(try outcomes[0].get().account?.isWhole == true)
  }

  @Test("a process that cannot send its part is named, and its batches are not counted as lost")
  func failed() throws {
    let outcomes = try RunningCollector.use { target in
      ThreadShares(3).run { link in
        let failure = link.place.number == 2 ? "the disk is full" : nil
        return LiveShares.load(AlteredLink(link: link, failure: failure), target)
      }
    }
    let first = try outcomes[0].get()
    let isBusy = Self.isBusy(first.record)
    let reasons = first.record.reasons.drop { isBusy && !$0.contains("process 3 of 3") }
    #expect(first.record.verdict == (isBusy ? .invalid : .interrupted), "\(first.record.reasons)")
    #expect(first.account?.phones == 0..<133)
    #expect(first.record.scenario.phones == 133 && first.record.ledger.batches.lost == 0)
    #expect(reasons.first?.contains("process 3 of 3 failed") == true, "\(first.record.reasons)")
    // Its rows are of all phones, and no figure of the others is taken from them.
    #expect(
      first.record.reasons.contains {
        $0.hasPrefix("timeline.csv") && $0.hasSuffix("cover phones 0 to 132.")
      })
    #expect(first.record.offered.batchesPerSecondMax == nil)
    #expect(first.record.throughput.batchesPerSecondMax == nil)
  }
}
