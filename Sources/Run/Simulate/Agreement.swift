internal import Core
internal import Figures
internal import Fleet
internal import Scenarios
internal import ServerLogic

/// Compares a live run with the same scenario in virtual time.
package struct Agreement {
  private var plan: RunPlan

  /// Simulates all phones in this process, regardless of the number of senders.
  package init(_ plan: RunPlan) {
    self.plan = plan
    (self.plan.link, self.plan.shard) = (nil, nil)
  }

  /// Simulates the scenario without sockets, and adds the differences.
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
