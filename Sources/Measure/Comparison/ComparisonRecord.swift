/// Several policies on the same lives, as a file: `compare.json`.
///
/// Two comparisons of one scenario and seed give equal bytes but for `command`, `machine` and
/// `timing`.
package struct ComparisonRecord: Equatable, Sendable, StoredRecord {
  package static let schemaVersion = 1

  package var schema = ComparisonRecord.schemaVersion
  package var tool = RunRecord.Tool()
  package var command: [String] = []
  package var scenario = RunRecord.ScenarioFacts()
  package var seed: UInt64 = 0
  /// The digest of the world, which was the same under every policy.
  package var world = ""
  package var machine = RunRecord.Machine()
  package var timing = RunRecord.Timing()
  /// Seconds: the age up to which a phone counts as fresh.
  package var freshWithinSeconds = 0.0
  /// Metres: how near the newest position must be for a phone to count as located.
  package var locatedWithinMeters = 0.0
  /// Phones in each population.
  package var phones: [String: Int] = [:]
  /// The policy that the others are set against: the first.
  package var reference: String { policies.first?.name ?? "" }
  package var policies: [Policy] = []

  package init() {}

  /// Every policy met the same people, movements and permissions.
  package var isPaired: Bool { policies.allSatisfy { $0.world == world } }

  package struct Policy: Equatable, Sendable, Codable {
    package var name: String
    package var verdict: Verdict
    /// The digest of the world its phones lived in; equal for all, or nothing is paired.
    package var world: String
    /// The digest of what its phones did.
    package var behaviour: String
    /// Of the silent pushes that reachable phones were sent.
    @Nullable package var answered: Ratio?
    package var measures: [Measured] = []

    package init(
      name: String, verdict: Verdict, world: String, behaviour: String, answered: Ratio?
    ) {
      self.name = name
      self.verdict = verdict
      self.world = world
      self.behaviour = behaviour
      self.answered = answered
    }

    package func measured(
      _ measure: ComparedMeasure, of population: Population = .reachable
    ) -> Measured? {
      measures.first { $0.measure == measure.key && $0.population == population }
    }
  }

  /// Whom a measure is about.
  package enum Population: String, CaseIterable, Sendable, Codable {
    /// Always permission and a valid push token: the phones on which a policy can do its work.
    case reachable
    case installed
  }

  /// One measure of one policy, with 95 % intervals from resampled phones.
  package struct Measured: Equatable, Sendable, Codable {
    package var measure: String
    package var population: Population
    package var unit: ComparedMeasure.Unit
    @Nullable package var value: Ratio?
    /// From the reference, on the same phones; null for the reference itself.
    @Nullable package var difference: Ratio?

    package init(
      _ measure: ComparedMeasure, _ population: Population, value: Ratio?, difference: Ratio?
    ) {
      self.measure = measure.key
      self.population = population
      unit = measure.unit
      self.value = value
      self.difference = difference
    }
  }
}

extension Ratio {
  /// Of a difference: it may as well be nothing.
  package var mayBeZero: Bool { low <= 0 && high >= 0 }
}
