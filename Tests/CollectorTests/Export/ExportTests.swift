import Core
import Foundation
import Scenarios
import TestSupport
import Testing

@testable import Collector
@testable import CollectorSupport

@Suite("Export", .quick)
struct ExportTests {
  let folder = TemporaryFolder()

  /// Phone 7 was reinstalled, phone 2 sent one fix, and batches arrived out of order.
  private static let ids = [
    LiveCollector.id(7, 1), LiveCollector.id(2, 5), LiveCollector.id(7, 2),
    LiveCollector.id(9, 3), LiveCollector.id(7, 1, epoch: 2),
  ]

  private static func fix(_ id: BatchID, _ index: Int) -> Fix {
    let knows = index % 2 == 0
    return Fix(
      coordinate: Coordinate(
        latitudeE6: -5 + Int32(index), longitudeE6: -13_000_007 - Int32(id.phone.rawValue)),
      time: FixTime(
        LiveCollector.start - .seconds(600) + .milliseconds(Int64(id.sequence) * 1_000)
          + .milliseconds(Int64(id.epoch) * 60_000 + Int64(index) * 250)),
      accuracyMeters: 12, speedDecimetersPerSecond: knows ? 105 : -1,
      courseDegrees: knows ? 359 : -1)
  }

  private static func fixes(_ id: BatchID) -> [Fix] {
    (0..<(id.phone.rawValue == 2 ? 1 : 4)).map { fix(id, $0) }
  }

  private func filled() throws -> String {
    let collector = try LiveCollector(store: .sqlite(path: folder.path("run.db")))
    try collector.open()
    for id in Self.ids { try collector.upload(id, Self.fixes(id)) }
    collector.stop()
    return folder.path("run.db")
  }

  private func export(
    _ path: String, _ format: StoreExport.Format, phone: UInt32? = nil
  ) throws -> (text: String, outcome: StoreExport.Outcome) {
    var bytes: [UInt8] = []
    let outcome = try StoreExport.run(
      .sqlite(path: path), format: format, phone: phone.map(PhoneID.init(rawValue:)),
      sink: {
        bytes += $0
        return true
      })
    return (String(decoding: bytes, as: UTF8.self), outcome)
  }

  @Test("csv: one line per fix, as uploaded, in the order of arrival")
  func csv() throws {
    let path = try filled()
    let (text, outcome) = try export(path, .csv)
    #expect(outcome == StoreExport.Outcome(batches: 5, fixes: 17, damaged: 0))
    let lines = text.split(separator: "\r\n")
    #expect(lines.count == 18)
    #expect(lines[0].hasPrefix("phone,epoch,sequence,time,latitude,longitude,accuracy_m,"))
    #expect(lines[1].hasPrefix("7,1,1,2026-03-01T23:51:01.00Z,-0.000005,-13.000014,12,10.5,359,2"))
    #expect(lines[2].hasPrefix("7,1,1,2026-03-01T23:51:01.25Z,-0.000004,-13.000014,12,,,2"))
    #expect(lines[5].hasPrefix("2,1,5,"))
    let times = lines.dropFirst().map { Array($0.split(separator: ",")[3].utf8) }
    let sent = Self.ids.flatMap { Self.fixes($0) }.map(\.time.instant)
    #expect(times.map { GPXTime.instant($0) } == sent)
  }

  @Test("gpx: our own reader reads a phone's points; each installation is a segment")
  func gpx() throws {
    let path = try filled()
    let (text, outcome) = try export(path, .gpx, phone: 7)
    #expect(outcome.fixes == 12 && outcome.batches == 3)
    #expect(text.components(separatedBy: "<trk>").count == 2)
    #expect(text.components(separatedBy: "<trkseg>").count == 3)
    try Data(text.utf8).write(to: URL(filePath: folder.path("7.gpx")))
    let read = try Recording.read(folder.path("7.gpx"))
    let sent = Self.ids.filter { $0.phone.rawValue == 7 }.flatMap { Self.fixes($0) }
    #expect(read.points.map(\.time) == sent.map(\.time.instant))
    #expect(
      read.points.map { Int32(($0.latitude * 1e6).rounded()) }
        == sent.map(\.coordinate.latitudeE6))
    #expect(try export(path, .gpx).text.components(separatedBy: "<trk>").count == 4)
  }

  @Test("geojson: one fix is a Point, several are a LineString with as many times")
  func geoJSON() throws {
    let (text, _) = try export(try filled(), .geojson)
    let json = try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let features = try #require(json["features"] as? [[String: Any]])
    #expect(features.map { $0["id"] as? Int } == [2, 7, 9])
    let shapes = features.compactMap { $0["geometry"] as? [String: Any] }
    #expect(shapes.map { $0["type"] as? String } == ["Point", "LineString", "LineString"])
    #expect((shapes[0]["coordinates"] as? [Double]) == [-13.000009, -0.000005])
    let properties = try #require(features[1]["properties"] as? [String: Any])
    for name in ["coordTimes", "accuracies", "speeds", "courses"] {
      #expect((properties[name] as? [Any])?.count == 12, "\(name)")
    }
    #expect((properties["speeds"] as? [Any])?[1] is NSNull)
  }

  @Test("an unknown phone is named, and nothing is written")
  func noPhone() throws {
    let path = try filled()
    #expect(throws: StoreError.noPhone(path: path, phone: 3)) {
      try export(path, .csv, phone: 3)
    }
  }

  @Test("an export ends when its reader closes; a damaged batch is skipped and counted")
  func endings() throws {
    let path = try filled()
    var pieces = 0
    _ = try StoreExport.run(.sqlite(path: path), format: .csv) { _ in
      pieces += 1
      return false
    }
    #expect(pieces == 1)
    try Database(path: path).run("UPDATE batches SET sequence = 8 WHERE number = 2")
    let (text, outcome) = try export(path, .csv)
    #expect(outcome.damaged == 1 && outcome.batches == 4)
    #expect(!text.contains("\r\n2,1,"))
  }
}
