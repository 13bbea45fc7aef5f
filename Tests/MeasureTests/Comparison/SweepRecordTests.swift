import Foundation
import Testing

@testable import Measure

@Suite("The record of a sweep", .timeLimit(.minutes(10)))
struct SweepRecordTests {
  /// One block of phones: ten days, a number of pushes, so many stale minutes and joules.
  private static func tally(pushes: Double, stale: Double, joules: Double) -> SweepTally {
    var one = ComparedTally()
    one[.phoneDays] = 10
    one[.pushes] = pushes
    one[.total] = 86_400 * 10
    one[.fresh] = 86_400 * 10 - stale * 60
    one[.batteryPercent] = 5
    one[.joules] = joules
    return SweepTally(reachable: one.row, installed: one.row)
  }

  private static func value(_ figure: SweepFigure, _ tally: SweepTally) -> Double? {
    SweepTally.value(figure, of: tally.rows)
  }

  @Test("what pushes remove is what there is without them, less what is left, a push and a joule")
  func removed() {
    let without = Self.tally(pushes: 0, stale: 1_000, joules: 400)
    let pair = Self.tally(pushes: 50, stale: 700, joules: 500).beside(without)
    #expect(Self.value(.removed, pair) == 30)
    #expect(Self.value(.removedPerPush, pair) == 6)
    #expect(Self.value(.removedPerJoule, pair) == 3)
    #expect(Self.value(.extraJoules, pair) == 10)
    #expect(Self.value(.pushes, pair) == 5)
    #expect(Self.value(.battery, pair) == 0.5)
  }

  @Test("without pushes, and where they cost nothing, there is nothing to divide by")
  func nothing() {
    let without = Self.tally(pushes: 0, stale: 1_000, joules: 400)
    #expect(Self.value(.removed, without.beside(without)) == 0)
    #expect(Self.value(.removedPerPush, without.beside(without)) == nil)
    #expect(Self.value(.removedPerJoule, without.beside(without)) == nil)
    let cheap = Self.tally(pushes: 5, stale: 900, joules: 399).beside(without)
    #expect(Self.value(.removedPerJoule, cheap) == nil)
  }

  private static func point(_ number: Int, perPush: Double?, isFreshest: Bool) -> SweepRecord.Point
  {
    var point = SweepRecord.Point(
      number: number, values: ["\(number)"], verdict: .pass, world: "w", behaviour: "b")
    let ratio = perPush.map { Ratio(value: $0, low: $0, high: $0) }
    point.figures.updateValue(ratio, forKey: SweepFigure.removedPerPush.rawValue)
    point.isFreshest = isFreshest
    return point
  }

  @Test("the answer is the point that removes most per push of those that are as fresh as any")
  func best() {
    var record = SweepRecord()
    record.points = [
      Self.point(0, perPush: 9, isFreshest: false), Self.point(1, perPush: nil, isFreshest: true),
      Self.point(2, perPush: 4, isFreshest: true), Self.point(3, perPush: 5, isFreshest: true),
    ]
    record.judge()
    #expect(record.best == 3)
  }

  @Test("reads back from its file as it was written, and only if its points fit its axes")
  func file() throws {
    var record = SweepRecord()
    record.axes = [
      .init(key: "push.holdout", values: ["0%", "1%"], places: [0, 1], isGeometric: false)
    ]
    record.points = [Self.point(0, perPush: 2, isFreshest: true)]
    record.judge()
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("sweep-\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: file) }
    try record.json().write(to: file)
    #expect(try SweepRecord.read(from: file) == record)
    record.best = 7
    try record.json().write(to: file)
    #expect(throws: RunRecordError.self) { try SweepRecord.read(from: file) }
    record.best = nil
    record.schema = 99
    try record.json().write(to: file)
    #expect(throws: RunRecordError.otherSchema(path: file.path, found: 99)) {
      try SweepRecord.read(from: file)
    }
  }
}
