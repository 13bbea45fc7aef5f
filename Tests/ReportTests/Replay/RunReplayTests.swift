import Core
import Figures
import Foundation
import TestSupport
import Testing
@testable import Report
@testable import ReportSupport

@Suite("The replay of a run", .quick)
struct RunReplayTests {
  /// A run whose log has an interval of a hundred responses for each row that is measured.
  static func files() throws -> RunFiles {
    var files = RunFixture.live()
    var log = LatencyLog(startSeconds: 0, startText: "")
    for second in 5..<60 {
      var latency = LatencyHistograms()
      for i in 1...100 as ClosedRange<Int64> { latency.response.record(i * Int64(second)) }
      log.append(from: Double(second), length: 1, latency)
    }
    files.intervals = try LatencyLog.intervals(of: log.text)
    return files
  }

  @Test("each row is a snapshot with its own rates and all responses up to it")
  func rows() throws {
    let replay = RunReplay(try Self.files())
    #expect(replay.rows == 60)
    var sums = LatencyHistograms()
    for row in 0..<59 {
      let snapshot = try replay.snapshot(row, adding: &sums)
      #expect(snapshot.source == .load)
      #expect(snapshot.rates?.acknowledged == 79 + Double(row % 7))
      #expect(snapshot.latency?.response.count == max(0, row - 4) * 100)
      #expect(snapshot.progress.phase == (row < 5 ? "ramp" : "measure"))
      #expect(snapshot.progress.elapsedSeconds == Double(row + 1))
      #expect(replay.pause(after: row) == 1)
    }
    #expect(sums.response.count == 54 * 100)
  }

  @Test("the clock is the city's, and the last row equals the record of the whole")
  func last() throws {
    let files = try Self.files()
    let replay = RunReplay(files)
    var sums = LatencyHistograms()
    let first = try replay.snapshot(0, adding: &sums)
    #expect(first.progress.scenarioTime == "07:31:00")
    #expect(first.outlook.standing == .recorded && first.outlook.levels.isEmpty)
    let last = try replay.snapshot(59, adding: &sums)
    #expect(last.latency == files.record.latency)
    #expect(last.freshness == files.record.freshness)
    #expect(last.outlook.levels == files.record.slo)
    #expect(last.outlook.reason == "verdict pass.")
    #expect(last.wire?.bytesUp == files.record[.bytesSent])
    #expect(last.wire?.saved == TrafficFigures.saved(files.record.traffic.compressed))
  }

  @Test("a simulation is played by rows, since it has no real-time speed")
  func simulation() throws {
    let replay = RunReplay(RunFixture.simulation())
    #expect(replay.opening.source == .simulate)
    #expect(replay.pause(after: 0) == 0.1)
    var sums = LatencyHistograms()
    let snapshot = try replay.snapshot(3, adding: &sums)
    #expect(snapshot.latency == nil && snapshot.wire == nil)
  }

  @Test("a record without a timeline has no rows")
  func empty() {
    #expect(RunReplay(RunFiles(record: RunRecord())).rows == 0)
  }

  @Test("its rows are those of timeline.csv, those of older files with empty columns")
  func csv() throws {
    let replay = RunReplay(try Self.files())
    let lines = RunFixture.csv(rows: 60).split(separator: "\n").map(String.init)
    #expect((0..<60).map(replay.csv) == Array(lines.dropFirst()))
    #expect(replay.scenarioSeconds(0) == 1_772_433_060)
    var files = try Self.files()
    files.timeline = try Timeline(csv: "scenario_s,phase,acked_per_s\n1772433060,ramp,5\n")
    let row = RunReplay(files).csv(0)
    #expect(row.hasPrefix(",1772433060,ramp,,5,,"))
    #expect(
      row.split(separator: ",", omittingEmptySubsequences: false).count
        == TimelineRow.header.split(separator: ",").count)
  }
}
