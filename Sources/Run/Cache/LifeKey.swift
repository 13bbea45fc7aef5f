internal import Core
internal import Scenarios
internal import Uploads

/// The identity of a simulated fleet's state. Simulations with equal keys are equal.
package struct LifeKey: Codable, Equatable, Sendable {
  package enum Kind: String, Codable, Sendable {
    /// A fleet at the scenario's start, before anything is counted.
    case warmStart
    /// A fleet and its server at an instant of a simulation that continues.
    case checkpoint
  }

  package var kind = Kind.warmStart
  /// The build of the program, because state files store records in their memory layout.
  package var program: String
  package var scenario: UInt64
  package var firstPhone: Int
  package var endPhone: Int
  /// The number of processes that together simulated the whole fleet and shared its push rate.
  package var processes: Int
  /// The instant up to which the phones were simulated, in microseconds.
  package var instant: Int64
  package var hasStays: Bool

  /// Creates the key of a plan's warm start; nil if the program's build is unknown.
  init?(_ plan: RunPlan, hasStays: Bool) {
    guard let program = plan.cache?.program, !program.isEmpty else { return nil }
    self.init(plan, program: program, at: plan.scenario.start, hasStays: hasStays)
  }

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

  static func hash(_ scenario: Scenario) -> UInt64 {
    // The name, the question and the speed do not affect a simulation.
    var shaping = scenario
    (shaping.name, shaping.question, shaping.speed) = ("", "", 1)
    return shaping.hash
  }

  /// The file name, a hash of the key. The file contains the whole key.
  package var fileName: String {
    let text = [
      kind.rawValue, program, String(scenario), String(firstPhone), String(endPhone),
      String(processes), String(instant), String(hasStays),
    ].joined(separator: "|")
    return StableHash(of: text).digits + Self.suffix
  }

  static let suffix = ".life"
}
