package import SimulationCore
package import Telemetry

/// Which settings the server wants on a phone, and from when (HY2).
///
/// A function of the plan, the phone and the instant alone: a server that restarts says the same,
/// and a fleet that is answered in process needs no server to know it.
package struct RolloutPlan: Sendable {
  /// Hands newer settings to a share of the phones from an instant on.
  package struct Step: Equatable, Sendable {
    /// Is the scenario instant from which the settings are handed out.
    package var at: SimInstant
    /// nil: every cohort.
    package var cohort: Int?
    /// 0 ... 1
    package var share: Double

    /// Makes a step from its parts.
    package init(at: SimInstant, cohort: Int?, share: Double) {
      self.at = at
      self.cohort = cohort
      self.share = share
    }
  }

  private let seed: UInt64
  /// In the order of their instants.
  private let steps: [Step]

  /// Makes a plan; `steps` stand in the order of their instants, `seed` decides which phones come
  /// first.
  package init(seed: UInt64, steps: [Step]) {
    self.seed = seed
    self.steps = steps
  }

  /// Is true where nothing is ever rolled out.
  package var isEmpty: Bool { steps.isEmpty }

  /// The newest step that has reached a phone, counted from 1; 0: it keeps what it was installed
  /// with.
  package func newest(for phone: PhoneID, cohort: Int, at now: SimInstant) -> Int {
    guard let last = steps.lastIndex(where: { reaches($0, phone, cohort, now) }) else { return 0 }
    return last + 1
  }

  private func reaches(
    _ step: Step, _ phone: PhoneID, _ cohort: Int, _ now: SimInstant
  ) -> Bool {
    guard step.at <= now, (step.cohort ?? cohort) == cohort else { return false }
    // One draw a phone for all steps: who came first in a staged release stays in it.
    var draw = Draw(seed: seed, phone: phone.rawValue, .rollout, 0, 0)
    return draw.chance(step.share)
  }
}
