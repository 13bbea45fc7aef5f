import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("load --replay", .live, .timeLimit(.minutes(10)))
struct LogReplayTests {
  /// Three phones with a fix every second for ten seconds, sent in pairs.
  private static var log: String {
    var rows = ["device,fixTime,receivedAt,lat,lon,accuracy,battery"]
    for second in 0..<10 {
      for phone in ["ann", "bob", "eve"] {
        let time = 1_772_434_800 + second
        rows.append("\(phone),\(time),\(time / 2 * 2 + 2),52.50\(second)123,13.4\(second),12,0.7")
      }
    }
    return rows.joined(separator: "\n") + "\n"
  }

  @Test("a log's fixes are stored by a server, and read back", .needs(.python))
  func stored() async throws {
    let backend = try await TargetBackend("ok")
    try Self.log.write(to: backend.folder["log.csv"], atomically: true, encoding: .utf8)
    let ended = try await Program.run([
      "load", "--replay", backend.folder["log.csv"].path, "--target",
      backend.folder["acme.yaml"].path, "--target-url", backend.url, "--speed", "2",
      "--ui", "plain", "--out", backend.folder["run"].path,
    ])
    #expect(ended.code == 0, "\(ended.text)\(ended.errorOutput)")
    #expect(ended.text.contains("replays  15 uploads with 30 fixes of 3 phones"))
    let record = try backend.run.record
    try record.expectTargetBalance()
    #expect(try record.count("target.fixes.stored") == 30)
    #expect(try record.count("target.readback.confirmed") == 30)
    #expect(try record.count("ledger.fixes.generated") == 30)
    #expect(!ended.text.contains("battery "))
    #expect(try !backend.run.text("report.html").contains("How sure"))
  }

  @Test("a run's own export replayed has that run's curve")
  func ownExport() async throws {
    let folder = try TemporaryFolder()
    let common = ["--speed", "60", "--ui", "none", "--set", "slo={}"]
    let run = try await Program.run(
      [
        "load", "city", "--phones", "6000", "--duration", "10min", "--set", "warmStart=1h",
        "--set", "faults=[]", "--out", folder["run"].path,
      ] + common)
    #expect([0, 98, 99].contains(run.code), "\(run.errorOutput)")
    let log = folder["log.csv"].path
    let export = try await Program.run([
      "export", folder["run/collector.sqlite"].path, "--out", log,
    ])
    #expect(export.code == 0, "\(export.errorOutput)")
    let first = try RunFiles(folder: folder["run"]).record
    // A collector that waits for a core refuses uploads. A phone sends refused fixes with its next
    // upload, and the log's last uploads have none.
    var tries = 0
    var (again, second) = try await replay(log, common, folder["again"])
    while try second.count("errors.pushbacks") > 0, tries < 2 {
      tries += 1
      try FileManager.default.removeItem(at: folder["again"])
      (again, second) = try await replay(log, common, folder["again"])
    }
    #expect(try second.count("errors.pushbacks") == 0, "refused each time")
    #expect(
      try first.count("ledger.fixes.distinct") == second.count("ledger.fixes.distinct"),
      "\(run.text)\(again.text)\(again.errorOutput)")
    let fresh = try ["installed", "reachable"].map { try second.number("freshness.\($0).share") }
    #expect(fresh[0] == fresh[1], "every phone of a log is reachable")
    let curves = [try Curve(log), try await Curve(exportOf: folder["again"], in: folder)]
    #expect(curves[0].times.count > 500 && curves[0].times.count == curves[1].times.count)
    let gap = curves[0].gap(to: curves[1])
    #expect(gap < 0.03, "\(gap)")
  }

  private func replay(
    _ log: String, _ common: [String], _ folder: URL
  ) async throws -> (Ended, RecordFile) {
    let ended = try await Program.run(
      ["load", "--replay", log, "--out", folder.path] + common)
    #expect([0, 98, 99].contains(ended.code), "\(ended.errorOutput)")
    return (ended, try RunFiles(folder: folder).record)
  }

  /// The times of receipt of a run's batches, in scenario seconds from the first one on.
  private struct Curve {
    var times: [Double] = []

    init(_ log: String) throws {
      let lines = try String(contentsOfFile: log, encoding: .utf8).split(
        whereSeparator: \.isNewline)
      var batches: [String: String] = [:]
      for line in lines.dropFirst() {
        let fields = line.split(separator: ",", omittingEmptySubsequences: false)
        batches[fields[..<3].joined(separator: ",")] = String(try #require(fields.last))
      }
      let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
      times = try batches.values.map { try style.parse($0).timeIntervalSince1970 }.sorted()
      let first = try #require(times.first)
      times = times.map { $0 - first }
    }

    init(exportOf run: URL, in folder: TemporaryFolder) async throws {
      let log = folder["again.csv"].path
      let export = try await Program.run([
        "export", run.appendingPathComponent("collector.sqlite").path, "--out", log,
      ])
      #expect(export.code == 0, "\(export.errorOutput)")
      try self.init(log)
    }

    /// Returns the greatest distance between the shares received by an instant.
    func gap(to other: Curve) -> Double {
      var (place, gap) = (0, 0.0)
      for (index, time) in times.enumerated() {
        while place < other.times.count, other.times[place] <= time { place += 1 }
        gap = max(gap, abs(Double(index + 1) - Double(place)) / Double(times.count))
      }
      return gap
    }
  }
}
