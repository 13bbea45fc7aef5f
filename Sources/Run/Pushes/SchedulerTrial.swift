internal import Core
internal import Figures
internal import Scenarios

/// Compares a user's push sender with Flotilla's schedulers on the same phones, in virtual time.
package struct SchedulerTrial {
  private var plan: RunPlan

  package init(_ plan: RunPlan) {
    self.plan = plan
    (self.plan.link, self.plan.shard) = (nil, nil)
    self.plan.senders = nil
  }

  /// Simulates the scenario once for each scheduler. A stopped comparison adds no figures.
  package func measure(
    _ outcome: inout RunOutcome, progress: @escaping (RunProgress) -> Void,
    shouldStop: @escaping () -> Bool
  ) {
    // Without pushes by the sender there is nothing to compare.
    guard outcome.record.sender?.accepted ?? 0 > 0, outcome.record.verdict != .interrupted else {
      return
    }
    var rows = [SenderFigures.Scheduler(name: "your sender", of: outcome.record)]
    for scheduler in [PushTerms.Scheduler.none, .fixed, .adaptive] {
      var plan = plan
      plan.scenario.push.terms.scheduler = scheduler
      let other = Simulation(plan).run(progress: progress, shouldStop: shouldStop)
      guard other.record.verdict != .interrupted else { return }
      rows.append(.init(name: scheduler.rawValue, of: other.record))
    }
    outcome.record.sender?.schedulers = rows
  }
}
