package import Scenarios
internal import SimulationCore
internal import Targets

extension Scenario {
  /// Puts a scenario on a target: the speed of a wall clock that is another's, no promises
  /// that only a collector of ours can be held to, and back-offs of the app.
  ///
  /// After a failure a phone hands its batch over again within the app's own wait, by its tracker's
  /// occasions: the queue then holds it until the rule allows the request.
  package mutating func put(on setup: TargetSetup) {
    speed = 1
    // What a machine needs is forecast from it.
    connections = setup.target.connections.per
    slo.answered = nil
    network.deadline = setup.target.retry.deadline
    let (base, cap) = Self.backoff(of: setup.target.retry)
    for place in policies.indices {
      policies[place].settings.send.backoffBase = base
      policies[place].settings.send.backoffCap = cap
    }
  }

  /// How soon a phone hands its batch over again. Where the app waits for a location, that is taken
  /// to come within ten seconds while it runs.
  private static func backoff(of rule: RetryRule) -> (base: SimDuration, cap: SimDuration) {
    func duration(_ wait: WallDuration) -> SimDuration {
      max(.seconds(1), .microseconds(wait.microseconds))
    }
    switch rule.on {
    case .backoff: return (duration(rule.first), max(duration(rule.first), duration(rule.longest)))
    case .interval: return (duration(rule.every), duration(rule.every))
    case .location, .never: return (.seconds(10), .seconds(10))
    }
  }
}
