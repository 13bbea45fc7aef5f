internal import Fleet
internal import Phone
internal import Scenarios
internal import ServerLogic
internal import SimulationCore

/// A fleet that has lived the hours before the scenario's start, and what its server knows.
struct WarmStart {
  let fleet: PhoneFleet
  let standings: [PhoneStanding]
  let wall: WallDuration
  let finder: StayFinder?

  /// - Parameters:
  ///   - shardsPerThread: a cohort may cost more than another; small shards even that out.
  ///   - progress: false stops the warm start; then there is none.
  ///   - compares: policies are compared: what the server stores is looked at from birth on.
  init?(
    _ plan: RunPlan, answers: Answers, shardsPerThread: Int = 1, progress: (RunProgress) -> Void,
    shouldStop: () -> Bool, compares: Bool = false
  ) {
    let scenario = plan.scenario
    let began = plan.wall()
    let birth = scenario.start - scenario.warmStart
    fleet = PhoneFleet(
      scenario, threads: plan.threads * shardsPerThread, tracing: plan.trace.map { [$0] } ?? [])
    var time = VirtualTime(fleet: fleet, backend: VirtualTime.newBackend(for: fleet, at: birth))
    finder = compares ? StayFinder(fleet.context) : nil
    if let finder { time.received = finder.take }
    var last = began
    let fleet = self.fleet
    let reached = time.live(until: scenario.start) { at in
      let now = plan.wall()
      if now - last >= .milliseconds(200) {
        last = now
        let share = (at - birth).seconds / max(1, scenario.warmStart.seconds)
        progress(
          .virtual(
            plan.virtualSnapshot("warm start", at, share: share, fleet, wall: now - began)))
      }
      return !shouldStop()
    }
    guard reached >= scenario.start else { return nil }
    standings = fleet.startCounting(after: time.backend, answers: answers)
    wall = plan.wall() - began
  }
}
