package import Figures
package import SimulationCore

/// What a range of a fleet's phones did in one interval of a run, and their state at its end.
package struct FleetInterval: Codable, Equatable, Sendable {
  /// The instant at which the interval ended.
  package let end: SimInstant
  /// The length of the interval in scenario seconds.
  package let seconds: Double
  /// What the phones counted in the interval, and the phones as they were at its end.
  package private(set) var counts: Sheet

  /// Makes an interval.
  package init(_ counts: Sheet, end: SimInstant, seconds: Double) {
    (self.counts, self.end, self.seconds) = (counts, end, seconds)
  }

  /// Adds what other phones did in the same interval.
  package mutating func merge(_ other: FleetInterval) {
    precondition(
      end == other.end && seconds == other.seconds, "only figures of one interval can be added")
    counts += other.counts
  }

  func isOfSameTime(as other: FleetInterval) -> Bool {
    end == other.end && seconds == other.seconds
  }
}
