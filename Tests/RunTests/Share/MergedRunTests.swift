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

@Suite("A fleet simulated in unlinked processes", .quick)
struct MergedRunTests {
  private static let count = 3

  private static func shard(
    _ plan: RunPlan, _ number: Int, stoppingAfter windows: Int = .max
  ) -> ShareFile {
    let shard = RunPart(SharePlace(number: number, of: count))
    var plan = plan
    plan.shard = shard
    var seen = 0
    let outcome = Simulation(plan).run(
      progress: { _ in },
      shouldStop: {
        seen += 1
        return seen > windows
      })
    return ShareFile(.simulate, outcome, of: plan, shard)
  }

  private static func shards(_ plan: RunPlan) -> [(path: String, file: ShareFile)] {
    (0..<count).map { ("runs/\($0)", shard(plan, $0)) }
  }

  @Test("their files, in any order, make the record and the timeline of one, byte for byte")
  func record() throws {
    let plan = RunPlan.twoHours()
    let files = Self.shards(plan)
    let read = try files.map { file in
      (file.path, try JSONDecoder().decode(ShareFile.self, from: file.file.data()))
    }
    let merged = try MergedRun(read.reversed()).outcome(plan)
    let whole = Simulation(plan).run(progress: { _ in }, shouldStop: { false })
    #expect(merged.account == whole.account && merged.server == whole.server)
    #expect(merged.timeline == whole.timeline && merged.timeline.count == 120)
    #expect(try merged.recordText() == whole.recordText())
    #expect(merged.record.wake.requested > 0)
    #expect(
      merged.record.machine.processes.keys.sorted()
        == ["simulation", "simulation 2", "simulation 3"])
  }

  @Test("a rate of pushes that never binds is accepted, one that would have bound is refused")
  func rate() throws {
    let wide = RunPlan.twoHours { $0.push.rate = Rate(perSecond: 199.0 / 60) }
    let files = Self.shards(wide)
    #expect(files.contains { !$0.file.sweeps.isEmpty }, "the rate is less than the fleet")
    let merged = try MergedRun(files).outcome(wide)
    let whole = Simulation(wide).run(progress: { _ in }, shouldStop: { false })
    #expect(try merged.recordText() == whole.recordText())

    let narrow = RunPlan.twoHours { $0.push.rate = Rate(perSecond: 3.0 / 60) }
    let bound = try MergedRun(Self.shards(narrow))
    #expect { try bound.outcome(narrow) } throws: { error in
      guard case ShareMergeError.rateBound(_, let phones, let allowed)? = error as? ShareMergeError
      else { return false }
      return allowed == 3 && phones > allowed
    }
  }

  @Test("a process stopped before anything was measured is named, and the run interrupted")
  func stopped() throws {
    let plan = RunPlan.twoHours()
    let files = (0..<Self.count).map {
      ("runs/\($0)", Self.shard(plan, $0, stoppingAfter: $0 == 1 ? 2 : .max))
    }
    let merged = try MergedRun(files).outcome(plan)
    #expect(merged.record.verdict == .interrupted && merged.account?.phones == 0..<66)
    #expect(
      merged.record.reasons.first
        == """
        Phones 66 to 132 are not in the figures: process 2 of 3 was stopped before anything was \
        measured.
        """)
  }

  @Test("folders of different runs are refused, each with its fault")
  func refused() throws {
    let files = Self.shards(RunPlan.twoHours { $0.duration = .minutes(20) })
    func error(_ change: (inout [(path: String, file: ShareFile)]) -> Void) -> String? {
      var files = files
      change(&files)
      do throws(ShareMergeError) { _ = try MergedRun(files) } catch { return error.description }
      return nil
    }
    #expect(error { _ in } == nil)
    #expect(error { $0.removeAll() }?.hasPrefix("there is nothing to merge") == true)
    #expect(
      error { $0.remove(at: 1) } == "shard 2 of 3 is missing; give the folders of all 3")
    #expect(
      error { $0[2] = ("runs/again", $0[1].file) }
        == "shard 2 of 3 is given twice (runs/1, runs/again); give each once")
    let first = "(runs/0); give folders of one run"
    #expect(
      error { $0[1].file.version = "u" }
        == "runs/1 was made by Flotilla u, the other by t \(first)")
    #expect(error { $0[1].file.seed = 7 } == "runs/1 has the seed 7, the other 1 \(first)")
    #expect(
      error { $0[1].file.scenarioHash = 7 } == "runs/1 has a different scenario \(first)"
    )
    #expect(
      error { $0[1].file.count = 4 }
        == "runs/1 is one of 4 shards, the other one of 3 \(first)")
    #expect(error { $0[1].file.kind = .load } == "runs/1 is a load, the other a simulate \(first)")
    #expect(
      error { $0[1].file.startsAt = "2026" }
        == "runs/1 had a different run.startAt \(first)")
  }
}
