internal import Fleet
internal import Scenarios
package import Uploads

extension FleetJournal {
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
