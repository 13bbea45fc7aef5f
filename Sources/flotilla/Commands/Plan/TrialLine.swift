internal import Capacity
internal import Core

enum TrialLine {
  static func name(_ trial: TrialRecord) -> String {
    trial.search > 0 ? "\(trial.kind.rawValue)-\(trial.search)" : trial.kind.rawValue
  }

  /// - Parameter left: the estimated remaining time of the trials, in seconds.
  static func text(_ trial: TrialRecord, left: Double) -> String {
    let result = trial.invalid == nil ? (trial.isHigh ? "too-much" : "carried") : "invalid"
    let minutes = Int(left) / 60
    let seconds = Int(left) % 60
    return [
      name(trial), "load=\(Int(trial.load))/s", "offered=\(Int(trial.offeredPerSecond))/s",
      "acked=\(Int(trial.acknowledgedPerSecond))/s",
      "lost=\(Figure.percent(trial.lossRatio).replacing(" ", with: ""))",
      "p99=\(trial.p99Microseconds.map { Figure.time($0).replacing(" ", with: "") } ?? "—")",
      "lag99=\(trial.lagP99Microseconds.map { Figure.time($0).replacing(" ", with: "") } ?? "—")",
      "cores=\(Figure.plain((trial.collectorCores * 100).rounded() / 100))", result,
      "left=\(minutes)min\(seconds)s",
    ].joined(separator: " ")
  }
}
