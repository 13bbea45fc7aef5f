package import Core

package struct CollectorFacts: Equatable, Sendable, Codable {
  package var name: String
  package var address: String
  /// The batches acknowledged in the live part and the drain, including repeats after a phone gave
  /// up; null behind a load balancer.
  @Nullable package var acknowledgedBatches: Int?
  @Nullable package var retries: Int?
  @Nullable package var connectFailures: Int?
  package var restarts = 0

  package init(name: String, address: String) {
    self.name = name
    self.address = address
  }
}
