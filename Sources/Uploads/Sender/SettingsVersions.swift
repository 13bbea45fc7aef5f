package import Scenarios

/// The version numbers of a scenario's settings. Rollouts have higher numbers than all cohorts, so
/// that a phone's version grows with each change (HY2).
package struct SettingsVersions: Sendable {
  private let installed: [UInt32]
  private let highest: UInt32
  private let rollouts: Int

  package init(_ scenario: Scenario) {
    installed = scenario.fleet.cohorts.map { scenario.policies[$0.policy].settings.version }
    highest = installed.max() ?? 1
    rollouts = scenario.rollouts.count
  }

  package func version(cohort: Int, rollout: UInt8) -> UInt32 {
    rollout == 0 ? installed[cohort] : version(rollout: Int(rollout))
  }

  /// Returns the version that an upload contains, or 0 if the scenario has no rollout.
  func versionInUpload(cohort: Int, rollout: UInt8) -> UInt32 {
    rollouts == 0 ? 0 : version(cohort: cohort, rollout: rollout)
  }

  /// Returns the version of a rollout; rollouts count from 1.
  package func version(rollout: Int) -> UInt32 { highest &+ UInt32(rollout) }

  package func rollout(of version: UInt32) -> UInt8? {
    guard version > highest, version - highest <= rollouts else { return nil }
    return UInt8(version - highest)
  }
}
