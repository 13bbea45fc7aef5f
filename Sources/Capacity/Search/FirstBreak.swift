/// What gave way first when a collector was offered more than it carries.
package struct FirstBreak: Equatable, Sendable, Codable {
  /// Says by what the smallest load above the bound failed.
  package enum Reason: String, Sendable, Codable {
    /// Acks came after the limit.
    case late
    /// The collector refused calls.
    case refused
    /// Calls ended otherwise: deadlines, lost connections.
    case failed
    /// What was under way grew and grew.
    case backlog
  }

  /// Is what most of the lost batches were lost by; `backlog` where none was lost.
  package var reason: Reason
  /// Batches a second.
  package var load: Double
  /// Of the collector, and of a database that shares its core, at that load.
  package var cores: Double

  /// nil: no valid trial above `bound` was too much.
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
