/// The times at which the server answers phones UNAVAILABLE and does not sweep.
package struct OutagePlan: Sendable {
  private let outages: [Range<SimInstant>]

  package init(_ outages: [(at: SimInstant, lasts: SimDuration)]) {
    self.outages = outages.filter { $0.lasts > .zero }.map { $0.at..<($0.at + $0.lasts) }
  }

  package func isDown(at instant: SimInstant) -> Bool {
    outages.contains { $0.contains(instant) }
  }
}
