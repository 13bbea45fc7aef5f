package import SimulationCore

/// The server that is measured.
package struct CollectorSettings: Equatable, Sendable {
  /// Where the collector keeps what it acknowledges.
  package enum Store: String, CaseIterable, Sendable {
    /// Measure only: acks at once, holds nothing.
    case none
    case sqlite
    /// A database that all collectors of the run share.
    case postgresql
  }
  /// The number of collectors of a run; more than one need a store that they share.
  package var count: Int
  /// The number of event loops of the collector; only 1 is accepted.
  package var workers: Int
  /// Where batches are kept.
  package var store: Store
  /// The address of the database, without a password; nil for one that the run makes and starts
  /// itself.
  package var url: String?
  /// The longest a batch waits for others before a commit begins.
  package var groupDelay: WallDuration
}
