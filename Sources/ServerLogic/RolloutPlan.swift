package import Core

/// The settings that the server intends for each phone at each instant (HY2). The settings depend
/// only on plan, phone and instant, so a restart of the server does not change them.
package struct RolloutPlan: Sendable {
  package struct Step: Equatable, Sendable {
    package var at: SimInstant
    package var cohort: Int?
    package var share: Double

    package init(at: SimInstant, cohort: Int?, share: Double) {
      self.at = at
      self.cohort = cohort
      self.share = share
    }
  }

  private let seed: UInt64
  private let steps: [Step]

  package init(seed: UInt64, steps: [Step]) {
    self.seed = seed
    self.steps = steps
  }

  package var isEmpty: Bool { steps.isEmpty }

  /// Returns a phone's newest step, counted from 1, or 0 if the phone keeps its installed settings.
  package func newest(for phone: PhoneID, cohort: Int, at now: SimInstant) -> Int {
    guard let last = steps.lastIndex(where: { reaches($0, phone, cohort, now) }) else { return 0 }
    return last + 1
  }

  private func reaches(
    _ step: Step, _ phone: PhoneID, _ cohort: Int, _ now: SimInstant
  ) -> Bool {
    guard step.at <= now, (step.cohort ?? cohort) == cohort else { return false }
    // A phone has one draw for all steps, so a staged release never drops a phone.
    var draw = Draw(seed: seed, phone: phone.rawValue, .rollout, 0, 0)
    return draw.chance(step.share)
  }
}
