internal import Core
internal import Foundation
internal import TestSupport
internal import Testing

@testable internal import Capacity

/// Nothing is simulated: the statistics of a policy follow from the policy's values.
@Suite("The ranges of a fit", .quick)
struct FitRangesTests {
  private static let fitted = FitCandidate(
    .continuous, seconds: 60, sendSeconds: 300, maxFixes: 200)

  private static func statistics(_ policy: FitCandidate, noise: Double) -> [FitStatistic: Double] {
    [
      .intervalMedian: log(policy.seconds) + noise,
      .fixesPerPhone: log(100_000 / policy.seconds) - 3 * policy.offline - 3 * policy.switchedOff,
      .delayMedian: log(policy.sendSeconds / 2) - noise,
      .delayHigh: log(policy.sendSeconds * 0.9) + noise,
      .silence: log(0.1 + 60 * policy.switchedOff) + noise,
    ]
  }

  private static func trials(_ count: Int) -> [FitRanges.Trial] {
    FitRanges.policies(round: fitted, count: count, seed: 2).enumerated().map { number, policy in
      .init(policy, statistics(policy, noise: number % 2 == 0 ? 0.01 : -0.01))
    }
  }

  private static func targets(
    of truth: FitCandidate, besides changes: [FitStatistic: Double] = [:]
  ) -> [FitStatistic: MatchTarget] {
    statistics(truth, noise: 0).merging(changes) { $1 }.mapValues {
      MatchTarget($0, variance: 0.0025)
    }
  }

  @Test("contain the truth, and are narrower than what was tried if the log tells")
  func contains() throws {
    var truth = Self.fitted
    (truth.seconds, truth.sendSeconds) = (70, 240)
    let trials = Self.trials(24)
    let ranges = try #require(FitRanges(Self.fitted, trials, Self.targets(of: truth), seed: 1))
    #expect(ranges.policies == trials.count && ranges.unmet.isEmpty)
    #expect(ranges.values.map(\.key) == [.seconds, .sendSeconds, .offline, .switchedOff])
    let seconds = try #require(ranges.range(of: .seconds))
    #expect(seconds.low < 70 && 70 < seconds.high && seconds.isDetermined)
    #expect(seconds.low <= 60 && seconds.high < 100, "contains the fitted value as well")
    #expect(seconds.triedLow == 24 && seconds.triedHigh == 150)
    let sends = try #require(ranges.range(of: .sendSeconds))
    #expect(sends.low < 240 && 300 <= sends.high && sends.isDetermined)
    #expect(ranges.share > 0 && ranges.share < 0.5)
    #expect(ranges == FitRanges(Self.fitted, trials, Self.targets(of: truth), seed: 1))
  }

  @Test("a value that no figure depends on is not determined")
  func undetermined() throws {
    let targets = Self.targets(of: Self.fitted).filter {
      $0.key != .delayMedian && $0.key != .delayHigh
    }
    let ranges = try #require(FitRanges(Self.fitted, Self.trials(24), targets, seed: 1))
    #expect(ranges.range(of: .sendSeconds)?.isDetermined == false)
    #expect(ranges.range(of: .seconds)?.isDetermined == true)
  }

  @Test("a figure that no policy comes near to is named; two such figures leave no range")
  func unmet() throws {
    let one = try #require(
      FitRanges(
        Self.fitted, Self.trials(24), Self.targets(of: Self.fitted, besides: [.silence: 9]),
        seed: 1))
    #expect(one.unmet == [.silence] && !one.values.isEmpty)
    let two = try #require(
      FitRanges(
        Self.fitted, Self.trials(24),
        Self.targets(of: Self.fitted, besides: [.silence: 9, .intervalMedian: 20]), seed: 1))
    #expect(two.unmet.contains(.silence) && two.values.isEmpty && two.share == 0)
  }

  @Test("only policies of the fitted kind count, and with too few there is no range")
  func kinds() {
    var others = Self.trials(24).map { trial in
      var policy = trial.candidate
      policy.accuracy = .kilometer
      return FitRanges.Trial(policy, trial.statistics)
    }
    let targets = Self.targets(of: Self.fitted)
    #expect(FitRanges(Self.fitted, others, targets, seed: 1) == nil)
    others += Self.trials(24)
    #expect(
      FitRanges(Self.fitted, others, targets, seed: 1)?.policies == Self.trials(24).count)
    #expect(FitRanges(Self.fitted, Self.trials(5), targets, seed: 1) == nil)
    #expect(FitRanges(Self.fitted, Self.trials(24), [:], seed: 1) == nil)
  }

  @Test("policies near a fit are valid, different, and vary only values that the fit has")
  func policies() {
    var wakes = FitCandidate(.wakes, seconds: 60, meters: 100, sendSeconds: 0, maxFixes: 1)
    wakes.offline = 0
    let policies = FitRanges.policies(round: wakes, count: 12, seed: 1)
    #expect(policies.count == 12 && Set(policies).count == 12)
    for policy in policies {
      // Wakes have no interval between fixes, and immediate sends none between batches.
      #expect(policy.seconds == 60 && policy.sendSeconds == 0 && policy.service == .wakes)
      #expect((40...250).contains(policy.meters ?? 0) && (0...0.08).contains(policy.offline))
    }
    #expect(FitRanges.policies(round: wakes, count: 0, seed: 1).isEmpty)
  }

  @Test("a log's targets have the variance between its phones, or between parts of its time")
  func targets() throws {
    func log(_ intervals: [Double]) -> PhoneLog {
      let monday: Int64 = 1_772_409_600_000_000
      var rows: [LogRow] = []
      for (phone, seconds) in intervals.enumerated() {
        for number in 0..<Int(36_000 / seconds) {
          rows.append(
            LogRow(phone: UInt32(phone), time: monday + Int64(Double(number) * seconds * 1e6)))
        }
      }
      return PhoneLog(
        rows: rows, phones: intervals.indices.map { "\($0)" }, columns: [.phone, .time])
    }
    let alike = try #require(LogStudy(log([Double](repeating: 60, count: 12))))
    let same = try #require(alike.targets[.intervalMedian])
    #expect(abs(same.value - Foundation.log(60.0)) < 1e-9 && abs(same.variance - 0.01) < 1e-9)
    #expect(alike.targets[.delayMedian] == nil, "no receipt")
    let mixed = try #require(
      LogStudy(log((0..<12).map { [30.0, 60, 120][$0 % 3] })))
    #expect(try #require(mixed.targets[.intervalMedian]).variance > 0.02)
    let one = try #require(LogStudy(log([60])))
    #expect(abs(try #require(one.targets[.intervalMedian]).variance - 0.01) < 1e-6)
  }
}
