package struct FirstBreak: Equatable, Sendable, Codable {
  /// The main reason why the smallest failed load above the bound failed.
  package enum Reason: String, Sendable, Codable {
    case late
    case refused
    case failed
    /// The number of batches in flight kept growing.
    case backlog
  }

  /// The main cause of loss; `backlog` if nothing was lost.
  package var reason: Reason
  package var load: Double
  /// The cores that the collector, and a database on the same core, used at `load`.
  package var cores: Double

  /// Finds the smallest load above `bound` at which a valid trial failed; nil if there is none.
  package init?(_ trials: [TrialRecord], above bound: Double) {
    let tooMuch = trials.filter {
      $0.isHigh && $0.invalid == nil && $0.load > bound && $0.kind != .verify
    }
    guard let first = tooMuch.min(by: { $0.load < $1.load }) else { return nil }
    let lost: [(Reason, Int)] = [
      (.late, first.late), (.refused, first.refused), (.failed, first.failed),
    ]
    let most = lost.max { $0.1 < $1.1 }
    reason = most.flatMap { $0.1 > 0 ? $0.0 : nil } ?? .backlog
    load = first.load
    cores = first.collectorCores + (first.databaseCores ?? 0)
  }
}
