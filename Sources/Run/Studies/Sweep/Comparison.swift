internal import Core
package import Figures
internal import Uploads

/// Runs several policies in virtual time, one after the other, on the same people, movements and
/// permissions.
package struct Comparison: Study {
  package struct Entry: Sendable {
    /// The policy's name, or `as-written` for the scenario's mix of policies.
    package var name: String
    package var plan: RunPlan

    package init(name: String, plan: RunPlan) {
      self.name = name
      self.plan = plan
    }
  }

  package static let asWritten = "as-written"

  private let entries: [Entry]
  /// The ensembles of the entries, at the same sets; may be empty.
  private let ensembles: [Ensemble]
  private let finished: @Sendable (String, RunOutcome) -> Void

  /// - Parameters:
  ///   - entries: the policies to compare, at least one; the first is the base.
  ///   - ensembles: one for each entry, at the same sets of the model's parameters; may be empty.
  ///   - finished: receives each policy's name and outcome.
  package init(
    _ entries: [Entry], ensembles: [Ensemble] = [],
    finished: @escaping @Sendable (String, RunOutcome) -> Void = { _, _ in }
  ) {
    precondition(!entries.isEmpty, "there is something to compare")
    self.entries = entries
    self.ensembles = ensembles
    self.finished = finished
  }

  package var plan: RunPlan { entries[0].plan }
  package var phoneSeconds: Double {
    entries.reduce(0) { $0 + $1.plan.scenario.phoneSeconds }
      + ensembles.reduce(0) { $0 + $1.phoneSeconds }
  }

  package func record(_ runs: StudyRuns) -> ComparisonRecord? {
    // The entries run one at a time, because two fleets may not fit into memory.
    let found = runs.run(
      entries.count, atATime: 1,
      step: { "\(entries[$0].name) (\($0 + 1) of \(entries.count))" }
    ) { number, life -> RunOutcome? in
      guard let outcome = life.outcome(of: entries[number].plan), outcome.compared != nil else {
        return nil
      }
      finished(entries[number].name, outcome)
      return outcome
    }
    let places = found.keys.sorted()
    guard let first = places.first.flatMap({ found[$0] }) else { return nil }
    var record = ComparisonRecord(plan)
    record.world = first.record.digest.world ?? ""
    record.freshWithinSeconds = first.record.freshness.withinSeconds ?? 0
    record.locatedWithinMeters = first.record.freshness.locatedMeters ?? 0
    record.measure(
      places.compactMap { found[$0] }, names: places.map { entries[$0].name })
    if places.count == entries.count, let first = ensembles.first {
      let values = runs.values(of: ensembles)
      for place in values.indices {
        record.policies[place].ensemble = EnsembleFigures(
          sets: first.sets, phones: first.phones, values[place],
          from: place == 0 ? nil : values[0])
      }
    }
    return record
  }
}

extension ComparisonRecord {
  fileprivate mutating func measure(_ outcomes: [RunOutcome], names: [String]) {
    let tables = outcomes.compactMap(\.compared)
    phones = [:]
    for (name, outcome) in zip(names, outcomes) {
      policies.append(
        Policy(
          name: name, verdict: outcome.record.verdict,
          world: outcome.record.digest.world ?? "",
          behaviour: outcome.record.digest.behaviour ?? "", answered: outcome.record.wake.answered,
          answeredOfSilent: outcome.record.wake.answeredOfSilent))
      policies[policies.count - 1].systems = outcome.record.systems
    }
    for population in Population.allCases {
      phones[population.rawValue] = tables.first?.phones[population] ?? 0
      let bootstrap = PairedBootstrap(
        tables: tables.map { $0.rows[population] ?? [] }, columns: ComparedTally.columns,
        seed: seed)
      for measure in StudyFigure.compared {
        let statistic = { ComparedTally.value(measure, of: $0) }
        for treatment in policies.indices {
          policies[treatment].measures.append(
            Measured(
              measure, population, value: bootstrap.ratio(treatment, statistic),
              difference: treatment == 0
                ? nil : bootstrap.difference(treatment, from: 0, statistic)))
        }
      }
    }
  }
}
