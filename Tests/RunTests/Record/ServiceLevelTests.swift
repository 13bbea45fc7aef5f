import Core
import Figures
import TestSupport
import Testing
import Targets

@testable import Run
@testable import Scenarios

@Suite("SLOs of a target", .quick)
struct ServiceLevelTests {
  /// The SLOs of a target by name, for these numbers of uploads and fixes.
  private func levels(
    answers: [(meaning: String, count: Int)], _ fixes: TargetFigures.Fixes,
    _ change: (inout Scenario) -> Void = { _ in }
  ) -> [String: ServiceLevelResult] {
    var target = TargetFigures(name: "acme", address: "a", carrier: "http", client: "")
    target.fixes = fixes
    target.answers = answers.map { meaning, count in
      TargetFigures.Answers(
        request: meaning == "read" ? "readback" : "upload", status: "200", rule: nil,
        meaning: meaning, count: count)
    }
    var scenario = Scenario.standard(phones: 10)
    change(&scenario)
    var record = RunRecord()
    record.target = target
    let results = ServiceLevelJudge(scenario).results(record)
    return Dictionary(uniqueKeysWithValues: results.map { ($0.name, $0) })
  }

  private func fixes(_ change: (inout TargetFigures.Fixes) -> Void) -> TargetFigures.Fixes {
    var fixes = TargetFigures.Fixes()
    change(&fixes)
    return fixes
  }

  @Test("nothing stored and every request failed is no pass, whatever the scenario's SLOs")
  func nothing() {
    let levels = levels(answers: [("failed", 173)], fixes { $0.failed = 118 }) {
      ($0.slo.lost, $0.slo.undelivered) = (0, 0.01)
    }
    #expect(levels["failed"]?.pass == false && levels["failed"]?.actual == 1)
    #expect(levels["stored"]?.pass == false && levels["stored"]?.actual == 0)
    let judgement = Judgement(losses: [], invalid: [], interrupted: [], slo: Array(levels.values))
    #expect(judgement.verdict == .sloMissed)
    #expect(judgement.reasons.contains("failed is 100.0 %, the SLO is 1.0 %."))
    #expect(judgement.reasons.contains("stored is 0.0 %, the SLO is 99.0 %."))
  }

  @Test("nothing sent is no pass either")
  func silence() {
    let levels = levels(answers: [("read", 3)], fixes { $0.waiting = 5 })
    #expect(levels["failed"]?.pass == false && levels["stored"]?.pass == false)
  }

  @Test("a request told to wait has not failed, and an unsent one is not missed")
  func healthy() {
    let levels = levels(
      answers: [("stored", 400), ("duplicate", 1), ("retry", 300), ("unknown", 4), ("read", 9)],
      fixes {
        ($0.stored, $0.failed, $0.waiting, $0.removed) = (993, 7, 500, 40)
        $0.droppedBy = [TargetQueue.superseded: 600]
      })
    #expect(levels["failed"]?.pass == true && levels["stored"]?.pass == true)
    #expect(levels["stored"]?.actual == 0.993)
  }

  @Test("fixes that apps gave up and refused fixes count as sent and not stored")
  func thrownAway() {
    let levels = levels(
      answers: [("stored", 90), ("refused", 10)],
      fixes {
        ($0.stored, $0.unknown) = (90, 1)
        ($0.refusedBy, $0.droppedBy) = (["status 400": 6], ["the app does not retry": 3])
      })
    #expect(levels["failed"]?.pass == true && levels["stored"]?.pass == false)
    #expect(levels["stored"]?.actual == 0.9)
  }

  @Test("the scenario's own limits apply, and requests failed by wire faults have none")
  func limits() throws {
    let some = [("stored", 90), ("failed", 10)]
    let own = levels(answers: some, fixes { ($0.stored, $0.failed) = (90, 10) }) {
      ($0.slo.failed, $0.slo.stored) = (0.2, 0.8)
    }
    #expect(own["failed"]?.pass == true && own["stored"]?.pass == true)
    let cut = levels(answers: some, fixes { $0.stored = 90 }) {
      $0.faults = [
        Fault(
          kind: .wireCut, at: $0.start, lasts: .zero, lastsWall: .seconds(1), cohorts: nil, share: 1
        )
      ]
    }
    #expect(cut["failed"] == nil && cut["stored"]?.pass == true)
  }

  @Test("a run without a target is not judged by them")
  func collector() {
    var scenario = Scenario.standard(phones: 10)
    (scenario.slo.failed, scenario.slo.stored) = (0, 1)
    #expect(ServiceLevelJudge(scenario).results(RunRecord()).isEmpty)
  }

  @Test("losses have no figure, and meet no SLO, if the store was not compared")
  func unproven() throws {
    var scenario = Scenario.standard(phones: 10)
    scenario.slo = ServiceLevels()
    scenario.slo.lost = 0
    let proven = ServiceLevelJudge(scenario).results(RunRecord())
    #expect(proven.map(\.name) == ["lost"] && proven.map(\.actual) == [0] && proven[0].pass)
    let open = ServiceLevelJudge(scenario, isProven: false).results(RunRecord())
    #expect(open.map(\.name) == ["lost"] && open.map(\.actual) == [nil] && !open[0].pass)
  }
}
