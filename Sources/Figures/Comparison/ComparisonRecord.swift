/// Several policies on the same lives, as a file: `compare.json`.
///
/// Two comparisons of one scenario and seed give equal bytes but for `command`, `machine` and
/// `timing`.
package struct ComparisonRecord: Equatable, StudyRecord {
  package static let schemaVersion = 1

  package var schema = ComparisonRecord.schemaVersion
  package var tool = RunRecord.Tool()
  package var command: [String] = []
  /// Describes the scenario that was lived under every policy.
  package var scenario = RunRecord.ScenarioFacts()
  /// The scenario's seed, which also keys the resamples of the intervals.
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
  /// A row for each policy in the order in which they were named; the first is the reference.
  package var policies: [Policy] = []

  package init() {}

  /// Every policy met the same people, movements and permissions.
  package var isPaired: Bool { policies.allSatisfy { $0.world == world } }

  /// What came out under one policy.
  package struct Policy: Equatable, Sendable, Codable {
    /// The policy's name, as in its file.
    package var name: String
    /// The verdict of the policy's own run.
    package var verdict: Verdict
    /// The digest of the world its phones lived in; equal for all, or nothing is paired.
    package var world: String
    /// The digest of what its phones did.
    package var behaviour: String
    /// Of the silent pushes that reachable phones were sent.
    @Nullable package var answered: Ratio?
    /// Each measure for each population, in the order of `StudyFigure.compared`.
    package var measures: [Measured] = []

    /// Makes a policy's row without measures; `answered` is nil where no push could be judged.
    package init(
      name: String, verdict: Verdict, world: String, behaviour: String, answered: Ratio?
    ) {
      self.name = name
      self.verdict = verdict
      self.world = world
      self.behaviour = behaviour
      self.answered = answered
    }

    /// Finds a measure's figures in one population; nil when the record does not hold them.
    package func measured(
      _ measure: StudyFigure, of population: Population = .reachable
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
    /// The key of the figure.
    package var measure: String
    /// The phones over which the measure is taken.
    package var population: Population
    /// The unit of `value` and `difference`.
    package var unit: FigureUnit
    /// The measure over all phones of the population; null where there is nothing to measure.
    @Nullable package var value: Ratio?
    /// From the reference, on the same phones; null for the reference itself.
    @Nullable package var difference: Ratio?

    /// Makes a row from a measure's key and unit, with its value and its difference from the
    /// reference.
    package init(
      _ measure: StudyFigure, _ population: Population, value: Ratio?, difference: Ratio?
    ) {
      self.measure = measure.key
      self.population = population
      unit = measure.unit
      self.value = value
      self.difference = difference
    }
  }
}
