package import Coordinator
package import Figures
internal import Foundation
internal import SimulationCore

/// A question that several runs in virtual time answer together.
package protocol Study: Sendable {
  associatedtype Record: StudyRecord
  /// The plan of the scenario as it is written; its threads are shared by the runs.
  var plan: RunPlan { get }
  /// What all runs cost at most, in phone-seconds.
  var phoneSeconds: Double { get }
  /// Carries out the runs and returns what they say; nil where nothing was finished.
  func record(_ runs: StudyRuns) -> Record?
}

extension Study {
  /// Carries out the study.
  ///
  /// - Parameter shouldStop: true ends the study; what is finished by then is reported.
  /// - Returns: nil when nothing was finished.
  package func run(
    progress: @escaping @Sendable (RunProgress) -> Void,
    shouldStop: @escaping @Sendable () -> Bool
  ) -> Record? {
    let began = plan.wall()
    let runs = StudyRuns(plan, phoneSeconds: phoneSeconds, shouldStop: shouldStop, report: progress)
    guard var record = record(runs) else { return nil }
    let wall = plan.wall() - began
    record.timing.wallSeconds = wall.seconds
    record.machine.processes["simulation"] = .init(ProcessMetrics.current(), over: wall)
    return record
  }
}

extension StudyRecord {
  /// Makes the record of a study that has found nothing yet.
  init(_ plan: RunPlan) {
    self.init()
    let head = RunRecord.of(plan)
    (tool, command, scenario) = (head.tool, head.command, head.scenario)
    (seed, machine) = (head.seed, head.machine)
    timing.startedAt = head.timing.startedAt
  }
}
