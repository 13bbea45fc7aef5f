internal import Fleet
internal import Scenarios
package import Uploads

extension FleetJournal {
  /// Begins the journal of a run in `directory`, or resumes the one that is there.
  package convenience init(
    directory: String, _ plan: RunPlan
  ) throws(JournalError) {
    let scenario = plan.scenario
    let name = "\(scenario.name)-\(String(plan.scenarioHash, radix: 16))-\(plan.startedAt)"
    try self.init(
      directory: directory, scenarioHash: plan.scenarioHash, seed: scenario.seed,
      hashKey: FleetContext.hashKey(seed: scenario.seed), phones: scenario.fleet.phones,
      runID: name)
  }
}
