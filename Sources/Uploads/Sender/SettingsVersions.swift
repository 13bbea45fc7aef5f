package import Scenarios
internal import Wire

/// Numbers the versions of a scenario's settings: one for each cohort, and above all of them one
/// for each rollout, so that a version grows with each change (HY2).
package struct SettingsVersions: Sendable {
  private let installed: [UInt32]
  private let highest: UInt32
  private let rollouts: Int

  /// Reads the versions of a scenario's policies.
  package init(_ scenario: Scenario) {
    installed = scenario.fleet.cohorts.map { scenario.policies[$0.policy].settings.version }
    highest = installed.max() ?? 1
    rollouts = scenario.rollouts.count
  }

  /// Returns the version that a phone has.
  package func version(cohort: Int, rollout: UInt8) -> UInt32 {
    rollout == 0 ? installed[cohort] : version(rollout: Int(rollout))
  }

  /// Returns the version that a batch names as its phone's; 0 where the scenario has no rollout.
  func versionInUpload(cohort: Int, rollout: UInt8) -> UInt32 {
    rollouts == 0 ? 0 : version(cohort: cohort, rollout: rollout)
  }

  /// Returns the version of a rollout, which counts from 1.
  package func version(rollout: Int) -> UInt32 { highest &+ UInt32(rollout) }

  /// Returns the rollout that an ack named; nil where the scenario has none of that version.
  package func rollout(of version: UInt32) -> UInt8? {
    guard version > highest, version - highest <= rollouts else { return nil }
    return UInt8(version - highest)
  }
}
