package import Core

/// The comparison of several policies on the same phones, stored as `compare.json`.
package struct ComparisonRecord: Equatable, StudyRecord {
  package static let schemaVersion = 1

  package var schema = ComparisonRecord.schemaVersion
  package var tool = RunRecord.Tool()
  package var command: [String] = []
  package var scenario = RunRecord.ScenarioFacts()
  /// The scenario's seed, which also seeds the resampling for the intervals.
  package var seed: UInt64 = 0
  package var world = ""
  package var machine = RunRecord.Machine()
  package var timing = RunRecord.Timing()
  package var freshWithinSeconds = 0.0
  package var locatedWithinMeters = 0.0
  package var phones: [String: Int] = [:]
  package var reference: String { policies.first?.name ?? "" }
  package var policies: [Policy] = []

  package init() {}

  package var isPaired: Bool { policies.allSatisfy { $0.world == world } }

  package struct Policy: Equatable, Sendable, Codable {
    package var name: String
    package var verdict: Verdict
    /// The digest of the policy's people and phones; policies with unequal digests are not paired.
    package var world: String
    package var behaviour: String
    @Nullable package var answered: Ratio?
    @Nullable package var answeredOfSilent: Ratio?
    /// The figures over sets of the model's parameters, by `StudyFigure` key; nil if not requested.
    package var ensemble: EnsembleFigures?
    package var measures: [Measured] = []
    /// The figures by system; nil for a fleet with one system.
    package var systems: [SystemFigures]?

    package init(
      name: String, verdict: Verdict, world: String, behaviour: String, answered: Ratio?,
      answeredOfSilent: Ratio? = nil
    ) {
      self.name = name
      self.verdict = verdict
      self.world = world
      self.behaviour = behaviour
      self.answered = answered
      self.answeredOfSilent = answeredOfSilent
    }

    package func measured(
      _ measure: StudyFigure, of population: Population = .reachable
    ) -> Measured? {
      measures.first { $0.measure == measure.key && $0.population == population }
    }
  }

  package enum Population: String, CaseIterable, Sendable, Codable {
    /// Phones with Always permission and a valid push token.
    case reachable
    case installed
  }

  package struct Measured: Equatable, Sendable, Codable {
    package var measure: String
    package var population: Population
    package var unit: FigureUnit
    /// The value over all phones of the population; null if nothing was measured.
    @Nullable package var value: Ratio?
    /// The difference from the reference on the same phones; null for the reference itself.
    @Nullable package var difference: Ratio?

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
