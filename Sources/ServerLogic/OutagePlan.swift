package import Scenarios
package import SimulationCore

/// When the server is down: it answers every call of a phone UNAVAILABLE and does not sweep.
package struct OutagePlan: Sendable {
  private let outages: [Range<SimInstant>]

  /// Makes a plan of outages in scenario time; those without length are dropped.
  package init(_ outages: [(at: SimInstant, lasts: SimDuration)]) {
    self.outages = outages.filter { $0.lasts > .zero }.map { $0.at..<($0.at + $0.lasts) }
  }

  /// Those of a scenario.
  package init(_ faults: [Fault]) {
    self.init(faults.filter { $0.kind == .serverOutage }.map { ($0.at, $0.lasts) })
  }

  /// Is true where an outage covers the instant; its begin belongs to it and its end does not.
  package func isDown(at instant: SimInstant) -> Bool {
    outages.contains { $0.contains(instant) }
  }
}
