/// Describes one of several collectors.
package struct CollectorFacts: Equatable, Sendable, Codable {
  /// Is its name in `processes`.
  package var name: String
  /// Is where it listened.
  package var address: String
  /// Counts the batches that it acknowledged over the live part and the drain, one that came again
  /// after its phone had given up each time; null where a balancer stood before the collectors.
  @Nullable package var acknowledgedBatches: Int?
  /// Counts the attempts after an upload's first.
  @Nullable package var retries: Int?
  /// Counts the attempts to connect that failed.
  @Nullable package var connectFailures: Int?
  /// Counts how often it was started again after a death.
  package var restarts = 0

  /// Makes the row of a collector that has done nothing.
  package init(name: String, address: String) {
    self.name = name
    self.address = address
  }
}
