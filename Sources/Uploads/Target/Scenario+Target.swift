internal import Core
package import Scenarios
internal import Targets

extension Scenario {
  /// Adapts a scenario to a target: speed 1 unless a log is sent again, no SLO that needs a
  /// collector, only events that the target takes, and the app's backoff. `TargetQueue` delays a
  /// resubmission until `AppRetry` allows the request.
  package mutating func put(on setup: TargetSetup) {
    if !replaysUploads { speed = 1 }
    // The forecast of the machine's load uses the connection mode.
    connections = setup.target.connections.per
    slo.answered = nil
    network.deadline = setup.target.retry.deadline
    keepEvents(setup.target.events?.kinds ?? [])
    let (base, cap) = Self.backoff(of: setup.target.retry)
    for place in policies.indices {
      policies[place].settings.send.backoffBase = base
      policies[place].settings.send.backoffCap = cap
    }
  }

  /// Lets apps send only events of these kinds, for a server that takes no others.
  package mutating func keepEvents(_ kinds: EventUse.Kinds) {
    for place in policies.indices {
      policies[place].settings.events.kinds.formIntersection(kinds)
    }
  }

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
