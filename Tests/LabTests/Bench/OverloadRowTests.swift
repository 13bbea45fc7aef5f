import Core
import Figures
import TestSupport
import Testing
@testable import flotilla_lab

@Suite("Overload row", .quick)
struct OverloadRowTests {
  private static func record(afterIsGood: Bool) -> OverloadRecord {
    var record = OverloadRecord(
      latencyLimitMicroseconds: 50_000, factor: 3, fixesPerBatch: 500, connections: 64,
      isPinned: true, store: "none")
    record.search = [
      OverloadRecord.Step(
        plannedPerSecond: 1_000, offeredPerSecond: 1_000, acknowledgedPerSecond: 1_000,
        p99Microseconds: 10_000, isSustained: true)
    ]
    for second in 0..<6 {
      var row = OverloadRecord.Second(second: second, phase: second < 4 ? .overload : .after)
      row.offered = second < 4 ? 3_000 : 500
      row.acknowledged = second < 4 ? 950 : 500
      row.shed = second < 4 || !afterIsGood ? 100 : 0
      row.p99Microseconds = 4_000
      record.seconds.append(row)
    }
    return record
  }

  @Test("figures have their bars")
  func row() {
    let row = BenchRow(Self.record(afterIsGood: true))
    #expect(row["goodputShare"]?.median == 0.95)
    #expect(row["offeredFactor"]?.median == 3)
    #expect(row["acceptedP99Milliseconds"]?.median == 4)
    #expect(row.results.map(\.isMet) == [true, true, true])
  }

  @Test("a collector that never recovers misses its bar")
  func neverBack() {
    let row = BenchRow(Self.record(afterIsGood: false))
    #expect(row["backAfterSeconds"] == nil)
    #expect(row.results.map(\.isMet) == [true, true, false])
  }
}
