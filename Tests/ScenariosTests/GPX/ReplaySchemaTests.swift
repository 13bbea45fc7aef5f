internal import Core
internal import Foundation
internal import TestSupport
internal import Testing

@testable internal import Scenarios

/// A folder with two recordings and a scenario, deleted at the end.
private final class Folder {
  let path = FileManager.default.temporaryDirectory.path + "/flotilla-\(UUID().uuidString)"

  init() throws {
    try FileManager.default.createDirectory(
      atPath: "\(path)/tracks", withIntermediateDirectories: true)
    try write("tracks/b.gpx", track([("2026-03-02T08:00:00Z", 1, 1)]))
    try write("tracks/a.gpx", track([("2026-03-02T08:00:00Z", 2, 2)]))
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func write(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
  }

  func scenario(_ mobility: String, settings: [String] = []) throws -> Scenario {
    try write("s.yaml", smallest.replacing("mobility: commuter", with: "mobility: \(mobility)"))
    return try ScenarioLibrary(folders: [path]).load(
      "s", settings: settings.map { ScenarioChange($0) })
  }

  func diagnostics(_ mobility: String, settings: [String] = []) throws -> [String] {
    do {
      _ = try scenario(mobility, settings: settings)
      return []
    } catch let fault as ScenarioError {
      return fault.diagnostics.map { $0.description.replacing(path, with: "DIR") }
    }
  }
}

@Suite("A cohort that replays recordings", .quick)
struct ReplaySchemaTests {
  @Test("globs are sorted, relative to the scenario's file, and shared between cohorts")
  func paths() throws {
    let folder = try Folder()
    let scenario = try folder.scenario("{ gpx: [tracks/*.gpx, tracks/a.gpx], align: timeOfDay }")
    #expect(scenario.recordings.map(\.points[0].latitude) == [2, 1])
    guard case .recorded(let replay) = scenario.fleet.cohorts[0].mobility else {
      Issue.record("not recorded")
      return
    }
    #expect(replay.recordings == [0, 1, 0])
    #expect(replay.align == .timeOfDay)
    #expect(try read(scenario.text) == scenario)
  }

  @Test("with split: track each track is one person, and all keep their time in the file")
  func tracks() throws {
    func track(_ points: [(Int, Double)]) -> String {
      let rows = points.map { seconds, latitude in
        "<trkpt lat=\"\(latitude)\" lon=\"1\"><time>\(seconds).5</time></trkpt>"
      }
      return "<trk><name>v</name><trkseg>\(rows.joined())</trkseg></trk>"
    }
    let folder = try Folder()
    let empty = "<trk></trk>"
    try folder.write(
      "city.gpx", gpx(track([(90, 1), (91, 1.001)]) + empty + track([(30, 2), (32, 2.001)])))
    let whole = try folder.scenario("{ gpx: city.gpx }")
    #expect(whole.recordings.map(\.points.count) == [4])
    let scenario = try folder.scenario("{ gpx: city.gpx, split: track }")
    #expect(scenario.recordings.map { $0.points.map(\.latitude) } == [[1, 1.001], [2, 2.001]])
    #expect(scenario.recordings.map(\.report).allSatisfy { !$0.contains("skipped") })
    #expect(scenario.recordings[1].report.hasPrefix("\(folder.path)/city.gpx, track 3: 2 of 2"))
    guard case .recorded(let replay) = scenario.fleet.cohorts[0].mobility else {
      Issue.record("not recorded")
      return
    }
    let starts = scenario.recordings.map { recording in
      recording.points[0].time
        + replay.shift(of: recording, start: scenario.start, clock: scenario.clock)
    }
    #expect(starts == [scenario.start + .seconds(60), scenario.start])
    #expect(try read(scenario.text) == scenario)
    #expect(
      try folder.diagnostics("{ gpx: city.gpx, split: person }").first?.contains("file, track")
        == true)
  }

  @Test("on the command line a path is relative to the working directory")
  func settings() throws {
    let folder = try Folder()
    let shared = "fleet.cohorts[0].mobility.gpx"
    let scenario = try folder.scenario(
      "{ gpx: tracks/a.gpx }", settings: ["\(shared)=\(folder.path)/tracks/b.gpx"])
    #expect(scenario.recordings.map(\.points[0].latitude) == [1])
    #expect(
      try folder.diagnostics("{ gpx: tracks/a.gpx }", settings: ["\(shared)=tracks/b.gpx"])
        == [
          "--set \(shared)=tracks/b.gpx: fleet.cohorts[0].mobility.gpx: "
            + "tracks/b.gpx cannot be read: No such file or directory."
        ])
  }

  @Test("a glob may begin with a star on the command line")
  func star() throws {
    let setting = "fleet.cohorts[0].mobility.gpx=*/no-such-*.gpx"
    let found = try Folder().diagnostics("{ gpx: tracks/a.gpx }", settings: [setting])
    #expect(found.map { $0.hasSuffix("cannot be read: no file matches it.") } == [true])
  }

  @Test("recordings that are not replayed, or not to their end, are remarked on")
  func remarks() throws {
    let folder = try Folder()
    let settings = ["duration=5h", "fleet.phones=1", "start=2026-03-02T08:00"]
    try folder.write(
      "tracks/a.gpx",
      track([("2026-03-02T08:00:00Z", 1, 1), ("2026-03-02T14:00:00Z", 1, 1)]))
    let scenario = try folder.scenario("{ gpx: tracks/*.gpx }", settings: settings)
    #expect(scenario.remarks.count == 2)
    #expect(
      scenario.remarks[0]
        == "cohort 'all' has 1 phones for 2 recordings; the last 1 are not replayed.")
    #expect(
      scenario.remarks[1].hasSuffix(
        "a.gpx is replayed from 2026-03-02T08:00 to 2026-03-02T14:00, not all of it simulated."))
  }

  @Test("the hash depends on the recordings, not on their path")
  func hash() throws {
    let one = try Folder()
    let two = try Folder()
    let a = try one.scenario("{ gpx: tracks/a.gpx }").hash
    #expect(try two.scenario("{ gpx: tracks/a.gpx }").hash == a)
    #expect(try two.scenario("{ gpx: tracks/b.gpx }").hash != a)
  }

  @Test("every file that cannot be replayed is a separate mistake")
  func diagnostics() throws {
    let folder = try Folder()
    try folder.write("tracks/broken.gpx", "<gpx>")
    try folder.write("tracks/empty.gpx", "")
    #expect(
      try folder.diagnostics("{ gpx: tracks/*.gpx }") == [
        "DIR/s.yaml:4:50: fleet.cohorts[0].mobility.gpx: DIR/tracks/broken.gpx"
          + ":1:5: the file ends inside <gpx>; it is truncated.",
        "DIR/s.yaml:4:50: fleet.cohorts[0].mobility.gpx: DIR/tracks/empty.gpx "
          + "contains no XML.",
      ])
    #expect(
      try folder.diagnostics("{ gpx: tracks }") == [
        "DIR/s.yaml:4:50: fleet.cohorts[0].mobility.gpx: DIR/tracks "
          + "cannot be read: it is a folder; write DIR/tracks/*.gpx."
      ])
    #expect(
      try folder.diagnostics("{ gpx: none/*.gpx }") == [
        "DIR/s.yaml:4:50: fleet.cohorts[0].mobility.gpx: DIR/none/*.gpx "
          + "cannot be read: no file matches it."
      ])
    #expect(
      try folder.diagnostics("gpx")[0].hasSuffix("'gpx' needs its files; write { gpx: FILES }."))
    #expect(
      try folder.diagnostics("{ gpx: [] }")[0].hasSuffix("there is no file; write one or more."))
    #expect(
      try folder.diagnostics("{ gpx: tracks/a.gpx, speed: 5 }")[0].hasSuffix(
        "'5' has no unit; write a speed from 0.1m/s to 1080km/h with its unit: km/h or m/s."))
  }

  @Test("a pipe and a device are refused without reading them")
  func notFiles() throws {
    let folder = try Folder()
    #expect(try folder.diagnostics("{ gpx: /dev/zero }")[0].contains("it is not a regular file"))
    mkfifo("\(folder.path)/pipe.gpx", 0o600)
    #expect(try folder.diagnostics("{ gpx: pipe.gpx }")[0].contains("it is not a regular file"))
  }
}
