package import Core

package struct CollectorSettings: Equatable, Sendable {
  package enum Store: String, CaseIterable, Sendable {
    /// Acknowledges at once and stores nothing.
    case none
    case sqlite
    case postgresql
  }
  /// The number of collectors of a run; two or more need a shared store.
  package var count: Int
  /// The number of event loops of the collector; only 1 is accepted.
  package var workers: Int
  package var store: Store
  /// The database's address without a password; nil if the run creates and starts a database.
  package var url: String?
  /// The maximum time that a batch waits for other batches before a commit begins.
  package var groupDelay: WallDuration
}
