package import Core

package struct FleetInterval: Codable, Equatable, Sendable {
  package let end: SimInstant
  package let seconds: Double
  package private(set) var counts: Sheet

  package init(_ counts: Sheet, end: SimInstant, seconds: Double) {
    (self.counts, self.end, self.seconds) = (counts, end, seconds)
  }

  package mutating func merge(_ other: FleetInterval) {
    precondition(
      end == other.end && seconds == other.seconds, "only figures of one interval can be added")
    counts += other.counts
  }

  func isOfSameTime(as other: FleetInterval) -> Bool {
    end == other.end && seconds == other.seconds
  }
}
