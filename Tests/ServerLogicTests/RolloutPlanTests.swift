import Core
import TestSupport
import Testing

@testable import ServerLogic

@Suite("HY2: the server's settings for a phone", .quick)
struct RolloutPlanTests {
  static let noon = SimInstant(microseconds: 1_772_449_200_000_000)
  static let phones = (0..<2_000 as Range<UInt32>).map { PhoneID(rawValue: $0) }

  @Test("HY2: before its instant a rollout changes no phone, from it on its cohort alone")
  func cohorts() {
    let plan = RolloutPlan(
      seed: 1, steps: [.init(at: Self.noon, cohort: 2, share: 1)])
    let phone = PhoneID(rawValue: 5)
    #expect(plan.newest(for: phone, cohort: 2, at: Self.noon - .seconds(1)) == 0)
    #expect(plan.newest(for: phone, cohort: 2, at: Self.noon) == 1)
    #expect(plan.newest(for: phone, cohort: 1, at: Self.noon) == 0)
  }

  @Test("HY2: the first phones of a staged release stay in it, and the newest step wins")
  func stages() {
    let plan = RolloutPlan(
      seed: 1,
      steps: [
        .init(at: Self.noon, cohort: nil, share: 0.1),
        .init(at: Self.noon + .hours(1), cohort: nil, share: 0.5),
      ])
    func reached(_ step: Int, at now: SimInstant) -> Set<PhoneID> {
      Set(Self.phones.filter { plan.newest(for: $0, cohort: 0, at: now) == step })
    }
    let first = reached(1, at: Self.noon)
    let second = reached(2, at: Self.noon + .hours(1))
    #expect((150...250).contains(first.count) && (900...1_100).contains(second.count))
    #expect(first.isSubset(of: second))
    #expect(reached(1, at: Self.noon + .hours(1)).isEmpty)
  }
}
