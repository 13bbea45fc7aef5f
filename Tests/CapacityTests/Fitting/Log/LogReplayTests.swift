import Core
import Foundation
import Scenarios
import TestSupport
import Testing

@testable import Capacity

@Suite("The uploads of a log", .quick)
struct LogReplayTests {
  private let root = URL(fileURLWithPath: #filePath).pathComponents
    .prefix { $0 != "Tests" }.joined(separator: "/")

  private static func replay(_ text: String) throws -> LogReplay {
    var reader = LogReader()
    reader.begin("log.csv")
    try reader.take(Array(text.utf8))
    try reader.end()
    return try LogReplay(reader.finish())
  }

  @Test("fixes received together are one upload, at the time of receipt")
  func receipts() throws {
    let replay = try Self.replay(
      """
      phone,time,received,latitude,longitude,accuracy,battery
      a,1772434800,1772434920,52.500001,13.4,12,0.81
      b,1772434830,1772434905,52.6,13.5,30,
      a,1772434860,1772434920.4,52.500002,13.4,,0.80
      a,1772434980,1772434981,52.500003,13.4,5,

      """)
    #expect((replay.uploads, replay.fixes, replay.recordings.count) == (3, 4, 2))
    let uploads = replay.recordings[0].uploads
    let times = (0..<uploads.count).map { uploads.at($0).microseconds }
    #expect(times == [1_772_434_920_000_000, 1_772_434_981_000_000])
    let fixes = (0..<uploads.count).map { Array(uploads.fixes(of: $0)) }
    #expect(
      fixes.map { $0.map(\.coordinate.latitudeE6) } == [[52_500_001, 52_500_002], [52_500_003]])
    #expect(fixes[0].map(\.accuracyMeters) == [12, Fix.unknownAccuracy])
    #expect((0..<uploads.count).map { uploads.batteryPercent(of: $0) } == [80, nil])
    #expect(replay.span.lowerBound.microseconds == 1_772_434_905_000_000)
  }

  @Test("without times of receipt each fix is an upload")
  func fixesAlone() throws {
    let replay = try Self.replay(
      "time,lat,lon\n1772434800,52.5,13.4\n1772434801,52.5,13.4\n1772434802,,\n")
    let uploads = replay.recordings[0].uploads
    #expect((0..<uploads.count).map { uploads.at($0).microseconds % 60_000_000 } == [0, 1_000_000])
    #expect(replay.leftOut == 1)
    #expect(!replay.hasReceipts)
  }

  @Test("a log without positions is refused with the columns to name")
  func noPositions() throws {
    #expect(throws: LogError.self) { try Self.replay("time,phone\n1772434800,a\n") }
  }

  @Test("its scenario begins with the first upload and ends after the last")
  func scenario() throws {
    let replay = try Self.replay(
      """
      phone,time,received,lat,lon
      a,1772434800,1772434920.5,52.5,-73.4
      b,1772434830,1772435905,52.6,-73.5

      """)
    var scenario = try ScenarioLibrary(folders: ["\(root)/scenarios"]).load(
      text: replay.scenarioText("log"), from: "log")
    try replay.put(into: &scenario, from: ["log.csv"])
    #expect(scenario.start.microseconds == 1_772_434_920_000_000)
    #expect(scenario.measureEnd.microseconds == 1_772_435_906_000_000)
    #expect(scenario.fleet.phones == 2)
    #expect(scenario.clock.utcOffset == .hours(-5))
    #expect(scenario.recordings.map { $0.uploads.count } == [1, 1])
    scenario.start += .minutes(30)
    #expect(throws: LogError.self) { try replay.put(into: &scenario, from: []) }
  }
}
