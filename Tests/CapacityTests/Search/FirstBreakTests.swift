internal import TestSupport
internal import Testing
@testable internal import Capacity

@Suite("First bottleneck", .quick)
struct FirstBreakTests {
  private static func trial(_ load: Double, isHigh: Bool, cores: Double = 0.9) -> TrialRecord {
    var trial = TrialRecord(kind: .full, search: 1, load: load, seconds: 10)
    trial.isHigh = isHigh
    trial.collectorCores = cores
    return trial
  }

  @Test("the first bottleneck is the main loss of the first load beyond the bound")
  func most() throws {
    var (near, far) = (Self.trial(1_100, isHigh: true, cores: 0.7), Self.trial(2_000, isHigh: true))
    (near.late, near.refused) = (40, 10)
    far.refused = 900
    let found = try #require(
      FirstBreak([far, Self.trial(1_000, isHigh: false), near], above: 1_000))
    #expect(found.reason == .late && found.load == 1_100 && found.cores == 0.7)
    (near.late, near.refused, near.failed) = (1, 2, 3)
    #expect(FirstBreak([near], above: 1_000)?.reason == .failed)
  }

  @Test("the first bottleneck is the backlog if nothing was lost yet")
  func backlog() {
    #expect(FirstBreak([Self.trial(1_100, isHigh: true)], above: 1_000)?.reason == .backlog)
  }

  @Test("no bottleneck is named if all was carried, and invalid trials do not count")
  func nothing() {
    var invalid = Self.trial(1_100, isHigh: true)
    invalid.invalid = "the generator was late"
    var verify = Self.trial(1_100, isHigh: true)
    verify.kind = .verify
    let below = Self.trial(900, isHigh: true)
    #expect(
      FirstBreak([invalid, verify, below, Self.trial(1_000, isHigh: false)], above: 1_000) == nil)
  }
}
