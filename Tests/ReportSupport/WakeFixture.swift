import Core
import Figures

extension RunFixture {
  /// 1,738 pushes of a morning, made by hand: one in three of 500 phones answers.
  static func wake() -> RunRecord.Wake {
    let end = SimInstant(microseconds: 0) + .hours(24)
    var ledger = WakeLedger(
      within: .minutes(10), windows: [.minutes(1), .minutes(30)], until: end)
    for i in 0..<1_815 {
      var push = WakePush(
        phone: UInt32(i % 500), requestedAt: end - .hours(24) + .seconds(Int64(i) * 47))
      push.hour = UInt8(i * 47 / 3_600)
      push.cohort = UInt16(i % 500 < 350 ? 0 : 1)
      push.type = i % 10 == 3 ? 1 : 0
      if i % 24 == 7 {
        push.isWithheld = true
        if i % 7 == 0 { push.answeredAfter = .minutes(5) }
      } else if push.requestedAt + .minutes(10) <= end {
        push.outcome = outcomes[i % outcomes.count]
        push.counterfactual = i % 9 == 0 ? .reported(after: .minutes(6)) : .silent
        if push.outcome == .caused || push.outcome == .late {
          let after = SimDuration.seconds(Int64(3 + i * 7 % (push.outcome == .late ? 1_700 : 590)))
          push.causedAfter = push.outcome == .late ? .seconds(600) + after : after
          push.answeredAfter = push.causedAfter
        } else if push.outcome == .raced {
          push.answeredAfter = .seconds(2)
        }
      }
      ledger.add(push)
    }
    ledger.add(UnreachableSilence(phone: 600, occasions: 300, answered: 12))
    return RunRecord.Wake(
      ledger,
      names: (
        cohorts: ["commuters", "cyclists"], systems: ["ios17"], types: ["background", "alert"]
      ),
      seed: 42)
  }

  private static let outcomes: [WakeOutcome] = [
    .caused, .forceQuit, .noFix, .caused, .throttled, .raced, .caused, .lowPower, .caused, .offline,
    .late, .noFix, .switchedOff,
  ]
}
