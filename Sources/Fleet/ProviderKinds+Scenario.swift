package import Push
package import Scenarios

extension ProviderKinds {
  /// Creates the push services of a scenario's phones, which their cohort's system decides.
  package init(_ scenario: Scenario) {
    let starts = FleetContext.cohortStarts(scenario)
    self.init(
      scenario.fleet.cohorts.enumerated().map { number, cohort in
        (starts[number + 1] - starts[number], cohort.os.value.system.provider)
      })
  }
}
