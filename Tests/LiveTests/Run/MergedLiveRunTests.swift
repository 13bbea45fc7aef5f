import Collector
import Core
import Figures
import Fleet
import Foundation
import TestSupport
import Testing
import Transport
import Uploads

@testable import Run
@testable import Scenarios
@testable import RunSupport

@Suite("Live shards without a connection", .live, .timeLimit(.minutes(10)))
struct MergedLiveRunTests {
  private static let count = 3

  private static func livePlan(_ number: Int, start: WallInstant) -> (RunPlan, RunPart) {
    var plan = RunPlan.fourSecondsLive { MonotonicClock.now }
    plan.startsAt = "2026-01-01T00:00:00Z"
    plan.startsIn = { start - MonotonicClock.now }
    let shard = RunPart(SharePlace(number: number, of: count))
    plan.shard = shard
    return (plan, shard)
  }

  /// Runs the shards; again, with a later start, if one was not ready by then.
  private static func files(leadSeconds: Int64) throws -> [ShareFile] {
    let start = MonotonicClock.now + .seconds(leadSeconds)
    let shares = try RunningCollector.use { target in
      ThreadShares(count).run { other -> Result<ShareFile, CollectorRunError> in
        let (plan, shard) = livePlan(other.place.number, start: start)
        let run = LoadRun(plan, target: target, progress: { _ in }, shouldStop: { false })
        do throws(CollectorRunError) {
          return .success(ShareFile(.load, try run.run(), of: plan, shard))
        } catch { return .failure(error) }
      }
    }
    do { return try shares.map { try $0.get() } } catch {
      guard leadSeconds < 60, "\(error)".contains("run.startAt") else { throw error }
      return try files(leadSeconds: 4 * leadSeconds)
    }
  }

  @Test("three shards load one collector, and their files merge into one record")
  func live() throws {
    let files = try Self.files(leadSeconds: 4)
    let plan = Self.livePlan(0, start: MonotonicClock.now).0
    let merged = try MergedRun(files.map { ("runs/\($0.number)", $0) }).outcome(plan)
    let record = merged.record
    #expect(record.verdict != .loss && record.verdict != .interrupted, "\(record.reasons)")
    #expect(record.scenario.phones == 200 && merged.account?.isWhole == true)
    #expect(record.ledger.batches.lost == 0 && record.ledger.batches.distinct > 0)
    #expect(record.ledger.batches.acknowledged == merged.account?.metrics[.batchesAcknowledged])
    #expect(
      record.ledger.batches.acknowledged
        == files.reduce(0) { $0 + ($1.share?.fleet.metrics[.batchesAcknowledged] ?? 0) })
    // Bin by bin.
    var sum = Histogram()
    for file in files {
      if let latency = file.share?.fleet.sending?.latency { sum.merge(latency.response) }
    }
    #expect(merged.account?.sending?.latency.response == sum && sum.total > 0)
    let log = try LatencyLog.sums(of: try #require(merged.latencyLog))
    #expect(log.response.total == sum.total)
    #expect(merged.timeline.count >= 3 && merged.timeline.count == files[0].intervals.count)
    #expect(merged.timeline.contains { $0.acknowledgedPerSecond > 0 })
    // If one could not query the collector, the account is open for all, and nothing is lost.
    var unasked = files
    unasked[1].share?.server.unverified = "the collector did not answer"
    let open = try MergedRun(unasked.map { ("runs/\($0.number)", $0) }).outcome(plan).record
    #expect(open.verdict != .loss && open.verdict != .pass, "\(open.reasons)")
    #expect(open.reasons.contains { $0.contains("the collector did not answer") })
    // The world is that of one process, whichever sends.
    var alone = plan
    alone.shard = nil
    #expect(alone.place == .alone)
    let whole = Simulation(alone).run(progress: { _ in }, shouldStop: { false })
    #expect(record.digest.world == whole.record.digest.world)
  }

  @Test("a shard that is late for the start ends, and prints by how much")
  func late() throws {
    let (plan, _) = Self.livePlan(0, start: MonotonicClock.now - .seconds(2))
    let error = try RunningCollector.use { target in
      let run = LoadRun(plan, target: target, progress: { _ in }, shouldStop: { false })
      do throws(CollectorRunError) {
        _ = try run.run()
        return nil as CollectorRunError?
      } catch { return error }
    }
    #expect(error?.description.contains("s after run.startAt; choose a later") == true)
  }
}
