import TestSupport
import Testing
@testable import Core
@testable import Figures

/// Hand-made timelines: a row a second, an outage from 300 to 600 s.
@Suite("Storms after an outage", .quick)
struct StormWatchTests {
  /// One row a second up to `length`, each changed by `change`.
  static func rows(
    _ length: Int, _ change: (Int, inout TimelineRow) -> Void
  ) -> [TimelineRow] {
    (0..<length).map { second in
      var row = TimelineRow()
      row.scenarioSeconds = Double(second + 1)
      row.phase = "measure"
      row.offeredPerSecond = 10
      row.acknowledgedPerSecond = 10
      row.outboxFixes = 1_000
      change(second, &row)
      return row
    }
  }

  static let outage = StormFigures(kind: "server-outage", from: 300, until: 600)

  /// Nothing gets through in the outage; then 73 a second for 60 s, 20 for 30 s, and 10 again.
  static let storm = rows(1_200) { second, row in
    switch second {
    case 300..<600:
      row.acknowledgedPerSecond = 0
      row.failedPerSecond = 10
      row.outboxFixes = 1_000 + (second - 300) * 20
    case 600..<660:
      row.offeredPerSecond = 73
      row.acknowledgedPerSecond = 70
      row.failedPerSecond = 3
      row.outboxFixes = 7_000 - (second - 600) * 60
    case 660..<690:
      row.offeredPerSecond = 20
      row.acknowledgedPerSecond = 20
      row.outboxFixes = 3_000
    default: break
    }
  }

  static func watch(
    _ rows: [TimelineRow], speed: Double = 1, pushes: [Double] = [], start: Double = 0
  ) -> StormWatch {
    StormWatch(rows, from: start, speed: speed, pushes: pushes)
  }

  @Test("the peak is the highest ten seconds after the outage, over the median minute before")
  func peak() throws {
    let storm = try #require(Self.watch(Self.storm).storms(after: [Self.outage]).first)
    #expect(storm.normalPerSecond == 10)
    #expect(abs((storm.peakPerSecond ?? 0) - 73) < 1e-9)
    #expect(abs((storm.amplification ?? 0) - 7.3) < 1e-9)
    #expect(storm.peakAfterSeconds == 0)
    #expect(storm.stepSeconds == 10)
  }

  @Test("drained: the first minute below the limit, and everything counted up to it")
  func drained() throws {
    let storm = try #require(Self.watch(Self.storm).storms(after: [Self.outage]).first)
    #expect(storm.drainSeconds == 90)
    #expect(storm.outboxBefore == 1_000)
    #expect(storm.outboxMax ?? 0 > 6_800)
    #expect(storm.attempts == 3_000 + 60 * 73 + 30 * 20)
    #expect(storm.acknowledged == 60 * 70 + 30 * 20)
    #expect(storm.rejected == 60 * 3, "what failed in the outage itself is no rejection")
    let attempts = try #require(storm.attemptsPerBatch)
    #expect(abs(attempts - 7_980.0 / 4_800) < 1e-9)
  }

  @Test("an outbox that stays full is not drained, however low the rate")
  func outboxCounts() {
    let rows = Self.rows(1_200) { second, row in
      if second >= 300 { row.outboxFixes = 1_200 }
    }
    let storm = Self.watch(rows).storms(after: [Self.outage]).first
    #expect(storm?.drainSeconds == nil)
    #expect(storm?.amplification == 1)
  }

  @Test("an outage without a storm is over at once")
  func noStorm() {
    let storm = Self.watch(Self.rows(1_200) { _, _ in }).storms(after: [Self.outage]).first
    #expect(storm?.drainSeconds == 0 && storm?.attemptsPerBatch == 1 && storm?.rejected == 0)
  }

  @Test("repeated attempts count if the sender reports them")
  func attempts() {
    let rows = Self.rows(1_200) { second, row in
      row.attemptsPerSecond = (600..<640).contains(second) ? 40 : 10
    }
    #expect(Self.watch(rows).storms(after: [Self.outage]).first?.amplification == 4)
  }

  @Test("a sweep's pushes count by the sweep, from the outage's end to the drain")
  func pushes() {
    let pushes = [120.0, 120] + [Double](repeating: 600, count: 7) + [660, 660, 1_100]
    let watch = Self.watch(Self.storm, pushes: pushes)
    #expect(watch.storms(after: [Self.outage]).first?.pushesInSweepMax == 7)
  }

  @Test("in a simulation a step is a simulated minute")
  func minutes() throws {
    let rows = (1...60).map { minute -> TimelineRow in
      var row = TimelineRow()
      row.scenarioSeconds = Double(minute) * 60
      row.phase = minute <= 5 ? "ramp" : "measure"
      row.offeredPerSecond = minute == 21 ? 30 : 6
      row.acknowledgedPerSecond = row.offeredPerSecond
      return row
    }
    var outage = StormFigures(kind: "network-outage", from: 900, until: 1_200)
    (outage.cohort, outage.share) = ("crowd", 0.4)
    let storm = try #require(Self.watch(rows).storms(after: [outage]).first)
    #expect(storm.stepSeconds == 60)
    #expect(storm.amplification == 5)
    #expect(storm.drainSeconds == 60)
    #expect(storm.cohort == "crowd" && storm.share == 0.4)
  }

  @Test("the next outage ends the watch, and one that outlasts the run has no row")
  func several() {
    let outages = [
      StormFigures(kind: "network-outage", from: 300, until: 330),
      StormFigures(kind: "network-outage", from: 630, until: 660),
      StormFigures(kind: "server-outage", from: 1_100, until: 1_300),
    ]
    let storms = Self.watch(Self.storm).storms(after: outages)
    #expect(storms.map(\.endsAt) == [330, 660])
    // The storm at 600 is between the two, and is charged to the first.
    #expect(abs((storms[0].amplification ?? 0) - 7.3) < 1e-9)
    #expect(storms[0].drainSeconds == nil, "the next one began before the rate was below the limit")
  }

  @Test("a faster clock changes counts, not the shape")
  func speed() {
    var fast = Self.storm
    for i in fast.indices { fast[i].scenarioSeconds = Double(i + 1) * 60 }
    let outage = StormFigures(kind: "server-outage", from: 300 * 60, until: 600 * 60)
    let storm = Self.watch(fast, speed: 60).storms(after: [outage]).first
    #expect(storm?.stepSeconds == 60)
    #expect(abs((storm?.amplification ?? 0) - 7.3) < 1e-9)
    // Rates are per wall-clock second.
    #expect(storm?.attempts == 7_980)
  }
}
