package struct FirstBreak: Equatable, Sendable, Codable {
  /// How the smallest load above the bound failed.
  package enum Reason: String, Sendable, Codable {
    case late
    case refused
    case failed
    /// The number in flight kept growing.
    case backlog
  }

  /// The main cause of loss; `backlog` where nothing was lost.
  package var reason: Reason
  package var load: Double
  /// Of the collector, and of a database on its core, at that load.
  package var cores: Double

  /// nil if no valid trial above `bound` was too much.
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
