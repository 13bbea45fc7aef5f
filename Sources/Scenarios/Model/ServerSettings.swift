package import SimulationCore

/// The server that is measured.
package struct CollectorSettings: Equatable, Sendable {
  /// Says where the collector keeps what it acknowledges.
  package enum Store: String, CaseIterable, Sendable {
    /// Measure only: acks at once, holds nothing.
    case none
    case sqlite
  }
  /// Is the number of event loops of the collector; only 1 is accepted.
  package var workers: Int
  /// Says where batches are kept.
  package var store: Store
  /// The longest a batch waits for others before a commit begins.
  package var groupDelay: WallDuration
}
