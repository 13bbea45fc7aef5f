import Foundation
import TestSupport
import Testing
@testable import Core
@testable import Figures

@Suite("The record of a sweep", .quick)
struct SweepRecordTests {
  private static func point(_ number: Int, perPush: Double?, isFreshest: Bool) -> SweepRecord.Point
  {
    var point = SweepRecord.Point(
      number: number, values: ["\(number)"], verdict: .pass, world: "w", behaviour: "b")
    let ratio = perPush.map { Ratio(value: $0, low: $0, high: $0) }
    point.figures.updateValue(ratio, forKey: StudyFigure.removedPerPush.key)
    point.isFreshest = isFreshest
    return point
  }

  @Test("the answer removes most per push of the points that are as fresh as any")
  func best() {
    var record = SweepRecord()
    record.points = [
      Self.point(0, perPush: 9, isFreshest: false), Self.point(1, perPush: nil, isFreshest: true),
      Self.point(2, perPush: 4, isFreshest: true), Self.point(3, perPush: 5, isFreshest: true),
    ]
    record.judge()
    #expect(record.best == 3)
  }

  @Test("reads back as written, and is refused if its points do not fit its axes")
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
