package import Coordinator
package import Figures
internal import Foundation
internal import Scenarios
internal import SimulationCore
internal import Uploads

/// Runs several policies in virtual time, one after the other, on the same people, movements and
/// permissions.
package struct Comparison {
  /// Pairs a policy's name with the scenario under it.
  package struct Entry: Sendable {
    /// Is the policy's name, or `as-written` for the scenario's own mix.
    package var name: String
    /// Is the plan of the scenario under that policy.
    package var plan: RunPlan

    /// Makes an entry from a name and a plan.
    package init(name: String, plan: RunPlan) {
      self.name = name
      self.plan = plan
    }
  }

  /// Is the name for a scenario's own mix of policies.
  package static let asWritten = "as-written"

  let entries: [Entry]

  /// Makes a comparison of at least one entry; the first is the base.
  package init(_ entries: [Entry]) {
    precondition(!entries.isEmpty, "there is something to compare")
    self.entries = entries
  }

  /// - Parameters:
  ///   - finished: called with each policy's outcome when it is there.
  ///   - shouldStop: true ends the comparison; what is finished by then is compared.
  /// - Returns: nil when not one policy was finished.
  package func run<Failure: Error>(
    progress: @escaping (RunProgress) -> Void, shouldStop: @escaping () -> Bool,
    finished: (String, RunOutcome) throws(Failure) -> Void
  ) throws(Failure) -> ComparisonRecord? {
    let plan = entries[0].plan
    let began = plan.wall()
    var outcomes: [RunOutcome] = []
    for (number, entry) in entries.enumerated() where !shouldStop() {
      let label = "\(entry.name) (\(number + 1) of \(entries.count))"
      let outcome = Simulation(entry.plan, compares: true).run(
        progress: { progress(Self.labelled($0, label)) }, shouldStop: shouldStop)
      guard outcome.record.verdict != .interrupted, outcome.compared != nil else { break }
      try finished(entry.name, outcome)
      outcomes.append(outcome)
    }
    guard !outcomes.isEmpty else { return nil }
    var record = ComparisonRecord(plan, outcomes[0].record)
    record.measure(outcomes, names: entries.map(\.name))
    record.timing.wallSeconds = (plan.wall() - began).seconds
    return record
  }

  private static func labelled(_ progress: RunProgress, _ label: String) -> RunProgress {
    guard case .virtual(var snapshot) = progress else { return progress }
    snapshot.progress.phase = "\(label), \(snapshot.progress.phase)"
    return .virtual(snapshot)
  }
}

extension ComparisonRecord {
  fileprivate init(_ plan: RunPlan, _ first: RunRecord) {
    self.init()
    tool = first.tool
    command = first.command
    scenario = first.scenario
    // The scenario under the first policy is in that policy's own record.
    scenario.text = plan.scenarioText
    seed = first.seed
    world = first.digest.world ?? ""
    machine = first.machine
    timing.startedAt = first.timing.startedAt
    freshWithinSeconds = first.freshness.withinSeconds ?? 0
    locatedWithinMeters = first.freshness.locatedMeters ?? 0
  }

  fileprivate mutating func measure(_ outcomes: [RunOutcome], names: [String]) {
    let tables = outcomes.compactMap(\.compared)
    phones = [:]
    for (name, outcome) in zip(names, outcomes) {
      policies.append(
        Policy(
          name: name, verdict: outcome.record.verdict,
          world: outcome.record.digest.world ?? "",
          behaviour: outcome.record.digest.behaviour ?? "", answered: outcome.record.wake.answered))
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
