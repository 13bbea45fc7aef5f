internal import Core
package import Figures
internal import Foundation

package protocol Study: Sendable {
  associatedtype Record: StudyRecord
  var plan: RunPlan { get }
  var phoneSeconds: Double { get }
  func record(_ runs: StudyRuns) -> Record?
}

extension Study {
  /// - Parameter shouldStop: returns true to end the study; its finished part is the result.
  /// - Returns: nil if nothing was finished.
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
  init(_ plan: RunPlan) {
    self.init()
    let head = RunRecord.of(plan)
    (tool, command, scenario) = (head.tool, head.command, head.scenario)
    (seed, machine) = (head.seed, head.machine)
    timing.startedAt = head.timing.startedAt
  }
}
