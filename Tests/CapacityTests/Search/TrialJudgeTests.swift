internal import TestSupport
internal import Testing
@testable import Capacity

@Suite("Judging a trial", .quick)
struct TrialJudgeTests {
  /// Ten seconds at 1,000 a second.
  static func judged(
    lagMicroseconds: Double = 100, offered: Double = 1_000,
    _ change: (Int, inout TrialJudge.Second) -> Void = { _, _ in }
  ) -> TrialRecord {
    let judge = TrialJudge(latencyLimitMicroseconds: 50_000, lossRatio: 0.01)
    var trial = TrialRecord(kind: .full, search: 1, load: 1_000, seconds: 10)
    trial.offeredPerSecond = offered
    trial.lagP99Microseconds = lagMicroseconds
    let seconds = (0..<10).map { number in
      var second = TrialJudge.Second(offered: 1_000, acknowledged: 1_000, unserved: 0, late: 0)
      change(number, &second)
      return second
    }
    trial.refused = seconds.reduce(0) { $0 + $1.unserved }
    trial.late = seconds.reduce(0) { $0 + $1.late }
    judge.judge(&trial, seconds)
    return trial
  }

  @Test("a trial below capacity passes")
  func unloaded() {
    let trial = Self.judged()
    #expect(!trial.isHigh && trial.invalid == nil)
    #expect(trial.goodSeconds == 1 && trial.lossRatio == 0 && trial.backlogGrowth == 0)
  }

  @Test("losses, late acks and one bad second in five each fail a trial")
  func bad() {
    #expect(Self.judged { _, second in second.unserved = 20 }.isHigh)
    #expect(Self.judged { _, second in second.late = 20 }.isHigh)
    // Half a percent in all, but two of ten seconds are bad.
    let uneven = Self.judged { number, second in if number < 2 { second.late = 40 } }
    #expect(uneven.lossRatio <= 0.01 && uneven.goodSeconds == 0.8 && uneven.isHigh)
    #expect(!Self.judged { number, second in if number < 1 { second.late = 40 } }.isHigh)
  }

  @Test("a growing backlog fails a trial, although nothing is late yet")
  func backlog() {
    let trial = Self.judged { _, second in second.acknowledged = 970 }
    #expect(trial.lossRatio == 0)
    #expect(abs(trial.backlogGrowth - 30) < 1e-9)
    #expect(trial.isHigh)
  }

  @Test("a generator that was late or offered too little makes the trial invalid, not failed")
  func invalid() {
    let late = Self.judged(lagMicroseconds: 3_000)
    #expect(late.invalid?.contains("send lag") == true && late.limitedBy == .pauses)
    #expect(Self.judged(offered: 900).invalid?.contains("90 %") == true)
    #expect(Self.judged(offered: 985).invalid == nil)
  }
}
