package import SimulationCore

/// The server that is measured.
package struct CollectorSettings: Equatable, Sendable {
  package enum Store: String, CaseIterable, Sendable {
    /// Measure only: acks at once, holds nothing.
    case none
    case sqlite
  }
  package var workers: Int
  package var store: Store
  /// The longest a batch waits for others before a commit begins.
  package var groupDelay: WallDuration
}
