internal import TestSupport
internal import Testing
@testable import Capacity

@Suite("Load classification", .quick)
struct LoadClassifierTests {
  /// A trial: f full (60 s), s short (1 s); l low, h high.
  static func trials(_ words: String) -> [TrialOutcome] {
    words.split(separator: " ").map { word in
      TrialOutcome(
        load: 100, seconds: word.hasPrefix("f") ? 60 : 1, lossRatio: word.hasSuffix("h") ? 0.02 : 0)
    }
  }

  static func goal(sum: Double, exceed: Double) -> SearchGoal {
    SearchGoal(
      finalSeconds: 60, sumSeconds: sum, initialSeconds: 1, lossRatio: 0.005, exceedRatio: exceed)
  }

  /// Computed by hand from the definitions: c = e ÷ (1 − e), excess of short high trials, total
  /// time, its quantile, and both ways in which the missing time may be counted.
  @Test(
    "classes equal those computed by hand from the definitions",
    arguments: [
      // One full trial decides if one is required and none is forgiven.
      ("fl", 60, 0, LoadClassifier.Verdict.lower), ("fh", 60, 0, .upper),
      ("", 60, 0, .undecided),
      // A short good trial decides nothing alone; a short bad one is enough if none is forgiven.
      ("sl", 60, 0, .undecided), ("sh", 60, 0, .upper), ("fl sh", 60, 0, .upper),
      // Two of three decide if half may be bad.
      ("fl", 180, 0.5, .undecided), ("fh", 180, 0.5, .undecided), ("fl fl", 180, 0.5, .lower),
      ("fh fh", 180, 0.5, .upper), ("fl fh", 180, 0.5, .undecided),
      ("fl fh fl", 180, 0.5, .lower), ("fl fh fh", 180, 0.5, .upper),
      // A short good trial compensates a short bad one, second for second.
      ("fl fh sh", 120, 0.5, .upper), ("fl fh sh sl", 120, 0.5, .lower),
      ("fl fh sh sh sl", 120, 0.5, .upper),
      // Twice the required full time: the half is that of the actual time.
      ("fl fl fh fh", 120, 0.5, .lower), ("fl fl fh fh fh", 120, 0.5, .upper),
      // A fifth may be bad.
      ("fl fl fl fl fh", 300, 0.2, .lower), ("fl fl fl fh fh", 300, 0.2, .upper),
      ("fl fl fl fh", 300, 0.2, .undecided),
    ] as [(String, Double, Double, LoadClassifier.Verdict)])
  func matrix(words: String, sum: Double, exceed: Double, expected: LoadClassifier.Verdict) {
    let classifier = LoadClassifier(Self.goal(sum: sum, exceed: exceed))
    #expect(classifier.verdict(Self.trials(words)) == expected, "\(words)")
  }

  @Test("conditional throughput uses the loss at the exceed ratio")
  func conditional() {
    func full(_ loss: Double) -> TrialOutcome {
      TrialOutcome(load: 100, seconds: 60, lossRatio: loss)
    }
    let half = LoadClassifier(Self.goal(sum: 180, exceed: 0.5))
    #expect(half.conditionalThroughput(100, [full(0.3), full(0), full(0.1)]) == 90)
    // Not all required time has been measured: the missing half counts as lost.
    #expect(half.conditionalThroughput(100, [full(0)]) == 0)
    let strict = LoadClassifier(Self.goal(sum: 60, exceed: 0))
    #expect(strict.conditionalThroughput(100, [full(0.3), full(0)]) == 70)
  }

  @Test("a trial with a backlog is bad, whatever its loss")
  func backlog() {
    let classifier = LoadClassifier(Self.goal(sum: 60, exceed: 0))
    var trial = Self.trials("fl")[0]
    trial.isBad = true
    #expect(classifier.verdict([trial]) == .upper)
  }
}
