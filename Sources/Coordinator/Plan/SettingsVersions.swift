internal import Scenarios
internal import Wire

/// The versions under which a scenario's settings travel: each cohort's own, and above all of
/// them one a rollout, so that a version grows with each change (HY2).
struct SettingsVersions: Sendable {
  private let installed: [UInt32]
  private let highest: UInt32
  private let rollouts: Int

  init(_ scenario: Scenario) {
    installed = scenario.fleet.cohorts.map { scenario.policies[$0.policy].settings.version }
    highest = installed.max() ?? 1
    rollouts = scenario.rollouts.count
  }

  /// What a phone has.
  func version(cohort: Int, rollout: UInt8) -> UInt32 {
    rollout == 0 ? installed[cohort] : version(rollout: Int(rollout))
  }

  /// What a batch says that its phone has; 0 where nothing is ever rolled out.
  func versionInUpload(cohort: Int, rollout: UInt8) -> UInt32 {
    rollouts == 0 ? 0 : version(cohort: cohort, rollout: rollout)
  }

  /// Of a rollout, counted from 1.
  func version(rollout: Int) -> UInt32 { highest &+ UInt32(rollout) }

  /// The rollout that an ack named; nil: none of this scenario.
  func rollout(of version: UInt32) -> UInt8? {
    guard version > highest, version - highest <= rollouts else { return nil }
    return UInt8(version - highest)
  }
}
