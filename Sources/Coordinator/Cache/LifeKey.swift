internal import Uploads
internal import Scenarios
internal import SimulationCore

/// Names the state of a fleet after a time that was lived: two lives with equal keys are equal.
///
/// Whatever shapes a life is in its key: the program, all that the scenario says, the part of the
/// fleet, and how far it was lived.
package struct LifeKey: Codable, Equatable, Sendable {
  /// Says what a file holds.
  package enum Kind: String, Codable, Sendable {
    /// A fleet at the scenario's start, before anything is counted.
    case warmStart
    /// A fleet and its server at an instant of a life that goes on.
    case checkpoint
  }

  /// Says what the file holds.
  package var kind = Kind.warmStart
  /// Identifies the build of the program, since records lie in a file as they lie in memory.
  package var program: String
  /// Is the hash over everything that the scenario says, its seed, phones and hours included.
  package var scenario: UInt64
  /// Is the number of the first phone.
  package var firstPhone: Int
  /// Is the number behind the last phone.
  package var endPhone: Int
  /// Counts the processes that lived the whole fleet: they agree on the rate of pushes.
  package var processes: Int
  /// Is the instant up to which the phones were lived, in microseconds.
  package var instant: Int64
  /// Is true where the stays that the server saw since birth are with it.
  package var hasStays: Bool

  /// Makes the key of a plan's warm start; nil where the program does not know its own build.
  init?(_ plan: RunPlan, hasStays: Bool) {
    guard let program = plan.cache?.program, !program.isEmpty else { return nil }
    self.init(plan, program: program, at: plan.scenario.start, hasStays: hasStays)
  }

  /// Makes the key of a plan's fleet at an instant.
  init(
    _ plan: RunPlan, _ kind: Kind = .warmStart, program: String, at instant: SimInstant,
    hasStays: Bool = false
  ) {
    self.kind = kind
    self.program = program
    scenario = Self.hash(plan.scenario)
    firstPhone = plan.phones.lowerBound
    endPhone = plan.phones.upperBound
    processes = plan.place.count
    self.instant = instant.microseconds
    self.hasStays = hasStays
  }

  /// Returns the hash over all of a scenario that shapes a life.
  static func hash(_ scenario: Scenario) -> UInt64 {
    // These say how a life is shown and judged, and how fast a live run goes, not what happens.
    var shaping = scenario
    (shaping.name, shaping.question, shaping.speed) = ("", "", 1)
    return shaping.hash
  }

  /// Is the name of its file: a hash over its parts, which the file holds in full.
  package var fileName: String {
    let text = [
      kind.rawValue, program, String(scenario), String(firstPhone), String(endPhone),
      String(processes), String(instant), String(hasStays),
    ].joined(separator: "|")
    return StableHash(of: text).digits + Self.suffix
  }

  /// Ends the name of every file of a cache.
  static let suffix = ".life"
}
