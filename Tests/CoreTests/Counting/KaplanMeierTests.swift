@testable import Core
import TestSupport
import Testing

@Suite("Kaplan–Meier curve", .quick)
struct KaplanMeierTests {
  /// Weeks in remission on 6-MP (Freireich et al., Blood 1963); censored ones apart.
  static let remission = KaplanMeier(
    [6, 6, 6, 7, 10, 13, 16, 22, 23].map { .init(time: $0, isEvent: true) }
      + [6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35].map { .init(time: $0, isEvent: false) })

  @Test("agrees with the published curve of the 6-MP remissions")
  func published() {
    let expected: [(time: Double, survival: Double, atRisk: Int)] = [
      (6, 0.857, 21), (7, 0.807, 17), (10, 0.753, 15), (13, 0.690, 12), (16, 0.627, 11),
      (22, 0.538, 7), (23, 0.448, 6),
    ]
    #expect(Self.remission.steps.count == expected.count)
    for (step, row) in zip(Self.remission.steps, expected) {
      #expect(step.time == row.time && step.atRisk == row.atRisk, "\(row)")
      #expect(abs(step.survival - row.survival) < 0.000_6, "\(row)")
    }
    #expect(Self.remission.median == 23)
    #expect(Self.remission.time(ofShare: 0.25) == 13)
    #expect(Self.remission.time(ofShare: 0.75) == nil, "the curve levels off at 0.448")
    #expect(Self.remission.subjects == 21 && Self.remission.events == 9)
    #expect(Self.remission.lastTime == 35)
  }

  /// Of the same data: the log-log band as R's `survfit(conf.type = "log-log")` prints it.
  @Test("Greenwood's log-log band agrees with the published one")
  func band() throws {
    let expected: [(time: Double, low: Double, high: Double)] = [
      (6, 0.620, 0.952), (7, 0.563, 0.923), (10, 0.503, 0.889), (13, 0.432, 0.849),
      (16, 0.368, 0.805), (22, 0.268, 0.747), (23, 0.188, 0.680),
    ]
    for row in expected {
      let step = try #require(Self.remission.step(at: row.time))
      #expect(abs(step.low - row.low) < 0.001 && abs(step.high - row.high) < 0.001, "\(step)")
    }
  }

  @Test("without censoring it is the share that remains")
  func complete() {
    let curve = KaplanMeier((1...10).map { .init(time: Double($0), isEvent: true) })
    for time in 1...10 {
      #expect(abs(curve.survival(at: Double(time) + 0.5) - (1 - Double(time) / 10)) < 1e-12)
    }
    #expect(curve.survival(at: 0.5) == 1 && curve.step(at: 0.5) == nil)
    #expect(curve.median == 5 && curve.reached == 1)
    #expect(curve.steps.last?.low == 0)
  }

  @Test("no subjects, or no events, make no step")
  func empty() {
    #expect(KaplanMeier([]).steps.isEmpty && KaplanMeier([]).reached == 0)
    let watched = KaplanMeier([.init(time: 3, isEvent: false)])
    #expect(watched.steps.isEmpty && watched.median == nil && watched.lastTime == 3)
  }

  @Test("a thinned curve keeps its ends and is within a step of the original")
  func thinned() {
    var draw = Draw(seed: 3, phone: 0, Purpose(rawValue: 895))
    let curve = KaplanMeier(
      (0..<5_000).map { _ in
        .init(time: draw.exponential(mean: 60), isEvent: draw.chance(0.7))
      })
    let few = curve.thinned(to: 80)
    #expect(few.count <= 80 && few.first == curve.steps.first && few.last == curve.steps.last)
    var place = 0
    for step in curve.steps {
      while place + 1 < few.count, few[place + 1].time <= step.time { place += 1 }
      #expect(abs(few[place].survival - step.survival) < 1.2 / 78)
    }
    #expect(curve.thinned(to: 100_000) == curve.steps)
  }
}
