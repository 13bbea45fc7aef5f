import Core
import PhoneSupport
import Scenarios
@testable import Phone

/// Simulates one phone whose app is the tracker, opened once and left: the system delivers what the
/// tracker requested.
struct TrackedPhone {
  let life: PhoneLife
  private let app: App

  init(_ policy: PolicySettings, os: OSProfile = .standard, way: [Stretch], seed: UInt64 = 1) {
    let app = App(policy, seed: seed)
    self.app = app
    life = PhoneLife(.way(way, seed: seed), os: os, policy: policy, timedApp: app.answer)
    life.open()
    life.leave()
  }

  /// All fixes that the tracker ever put into its outbox.
  var kept: [Fix] { app.kept }

  private final class App {
    var kept: [Fix] = []
    private var tracker = TrackerStateMachine()
    private var list = CommandList()
    private let context: TrackerStateMachine.Context

    init(_ policy: PolicySettings, seed: UInt64) {
      context = TrackerStateMachine.Context(settings: policy, seed: seed)
    }

    func answer(_ event: OSEvent, at now: SimInstant) -> [OSCommand] {
      list.removeAll()
      tracker.handle(event, of: PhoneID(rawValue: 0), now: now, context, into: &list)
      let commands = (0..<list.count).map { list[$0] }
      for case .persist(let fix) in commands { kept.append(fix) }
      return commands
    }
  }
}

extension PolicySettings {
  /// Requests permission, keeps every fix, and starts no service by itself.
  static var quiet: PolicySettings {
    var policy = PolicySettings.standard
    policy.significantChange = false
    policy.visits = false
    policy.regionRadius = nil
    policy.onPush = .nothing
    for mode in [\PolicySettings.foreground, \.background] {
      policy[keyPath: mode].service.pattern = .off
      policy[keyPath: mode].filter.rule = .everything
      policy[keyPath: mode].filter.maxAge = .hours(10_000)
    }
    return policy
  }
}
