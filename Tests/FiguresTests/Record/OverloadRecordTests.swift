import TestSupport
import Testing
@testable import Core
@testable import Figures

@Suite("Overload record", .quick)
struct OverloadRecordTests {
  /// Sustains 1,000/s at 4 ms; `overload` and `after` are (acknowledged, shed, p99) of each second.
  static func record(
    overload: [(Int, Int, Double)], after: [(Int, Int, Double)]
  ) -> OverloadRecord {
    var record = OverloadRecord(
      latencyLimitMicroseconds: 50_000, factor: 3, fixesPerBatch: 20, connections: 16,
      isPinned: true, store: "sqlite")
    for (rate, isSustained) in [(500.0, true), (1_000, true), (2_000, false)] {
      record.search.append(
        OverloadRecord.Step(
          plannedPerSecond: rate, offeredPerSecond: rate, acknowledgedPerSecond: rate,
          p99Microseconds: 4_000, isSustained: isSustained))
    }
    func add(_ phase: OverloadRecord.Phase, _ rows: [(Int, Int, Double)]) {
      for (acknowledged, shed, p99) in rows {
        var second = OverloadRecord.Second(second: record.seconds.count, phase: phase)
        second.offered = phase == .overload ? 3_000 : 500
        second.acknowledged = acknowledged
        second.shed = shed
        second.p99Microseconds = p99
        second.collectorBytes = 40_000_000 + record.seconds.count * 1_000
        record.seconds.append(second)
      }
    }
    add(.before, Array(repeating: (500, 0, 4_000), count: 5))
    add(.overload, overload)
    add(.after, after)
    return record
  }

  @Test("goodput is a share of the sustainable rate, the first seconds included")
  func goodput() {
    let record = Self.record(
      overload: [(100, 2_900, 90_000)] + Array(repeating: (1_000, 2_000, 20_000), count: 19),
      after: [])
    #expect(record.sustainable == 1_000)
    #expect(record.offeredFactor == 3)
    #expect(record.goodputShare == 0.955)
  }

  @Test("if a core got less time in the overload, goodput is per second of core time")
  func goodputOfCoreSecond() {
    var record = Self.record(
      overload: Array(repeating: (800, 2_200, 20_000), count: 10), after: [])
    #expect(record.goodputShareOfCoreSecond == nil)
    record.search[1].collectorCores = 0.9
    for place in record.seconds.indices where record.seconds[place].phase == .overload {
      record.seconds[place].collectorCores = 0.75
    }
    let share = record.goodputShareOfCoreSecond ?? 0
    #expect(abs(share - 0.96) < 1e-9)
    #expect(record.goodputShare == 0.8)
  }

  @Test("latency is the median second's, after the two that the controller needs")
  func latency() {
    let record = Self.record(
      overload: [(0, 0, 900_000), (0, 0, 900_000)]
        + [10, 20, 30, 70].map { (1_000, 2_000, $0 * 1_000) }, after: [])
    #expect(record.overloadP99Microseconds == 20_000)
    #expect(record.goodSecondsShare == 0.75)
    var shed = record
    for i in shed.seconds.indices.suffix(2) { shed.seconds[i].p99Microseconds = nil }
    #expect(shed.goodSecondsShare == 0.5, "a second without enough accepted batches is not good")
  }

  @Test("memory growth is measured from the tenth second on, with warm tables")
  func memory() {
    let record = Self.record(
      overload: Array(repeating: (1_000, 2_000, 20_000), count: 30), after: [])
    #expect(record.memoryGrowth == 19_000)
  }

  @Test("recovery: nothing refused any more, and p99 at most doubled")
  func back() {
    let baseline = (500, 0, 4_500.0)
    #expect(Self.record(overload: [], after: [baseline, baseline]).backAfterSeconds == 0)
    #expect(
      Self.record(overload: [], after: [(400, 100, 4_000), (500, 0, 9_000), baseline])
        .backAfterSeconds == 2)
    // A relapse counts.
    #expect(
      Self.record(overload: [], after: [baseline, baseline, (500, 1, 4_000), baseline])
        .backAfterSeconds == 3)
    #expect(
      Self.record(overload: [], after: [baseline, (500, 1, 4_000)]).backAfterSeconds == nil)
    #expect(Self.record(overload: [], after: []).backAfterSeconds == nil)
  }

  @Test("late seconds of the baseline are reported, too, and excuse none after it")
  func late() {
    let (baseline, late) = ((500, 0, 4_500.0), (500, 0, 30_000.0))
    var record = Self.record(overload: [], after: [baseline, baseline, late, baseline, baseline])
    record.seconds[0].p99Microseconds = 30_000
    #expect(record.baselineMicroseconds == 8_000)
    #expect(record.lateSeconds(of: .before) == 1)
    #expect(record.lateSeconds(of: .after) == 1)
    #expect(record.backAfterSeconds == 3)
  }
}
