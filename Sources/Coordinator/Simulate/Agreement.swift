internal import Fleet
internal import Measure
internal import Scenarios
internal import ServerLogic
internal import SimulationCore
internal import Telemetry

/// Sets a live run beside the same scenario in virtual time.
package struct Agreement {
  private let plan: RunPlan

  package init(_ plan: RunPlan) { self.plan = plan }

  /// Lives the scenario once more, without sockets, and writes into the outcome how far they part.
  ///
  /// - Parameter shouldStop: then nothing is written: half a run is no measure.
  package func measure(
    _ outcome: inout RunOutcome, progress: @escaping (RunProgress) -> Void,
    shouldStop: @escaping () -> Bool
  ) {
    guard let live = outcome.trace else { return }
    var simulation = Simulation(plan)
    simulation.keepsTrace = true
    let twin = simulation.run(progress: progress, shouldStop: shouldStop)
    guard twin.record.verdict != .interrupted, let simulated = twin.trace else { return }
    outcome.record.agreement = RunRecord.Agreement(
      live: live, simulated: simulated, seed: plan.scenario.seed)
  }
}

extension RunTrace {
  /// The phones' own deeds, and what the server saw of its pushes.
  init(
    _ account: FleetAccount, seen occasions: [WakeOccasion], until end: SimInstant,
    _ scenario: Scenario
  ) {
    self.init(uploadsByMinute: account.uploadsByMinute, behaviour: account.behaviour ?? [])
    let within = scenario.push.within
    for occasion in occasions where !occasion.isWithheld && occasion.at + within <= end {
      let phone = occasion.phone.rawValue
      pushes[phone, default: Pushes()].eligible += 1
      if let after = occasion.answeredAfter, after <= within {
        pushes[phone, default: Pushes()].answered += 1
      }
    }
  }
}
