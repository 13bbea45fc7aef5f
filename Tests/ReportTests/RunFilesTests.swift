import Core
import Figures
import Foundation
import TestSupport
import Testing
@testable import Report
@testable import ReportSupport

@Suite("Files of a run", .quick)
struct RunFilesTests {
  @Test("a timeline reads back column by column; an empty field is no number")
  func timeline() throws {
    let timeline = try Timeline(csv: RunFixture.csv(rows: 10))
    #expect(timeline.rows == 10)
    #expect(timeline.phases.first == "ramp" && timeline.phases.last == "measure")
    #expect(timeline["offered_per_s"][3] == 83)
    #expect(timeline["fresh_reachable_now"][0] == nil)
    #expect(timeline["stale_no_permission"][9] == 100)
    #expect(!timeline.has("no_such_column") && timeline["no_such_column"].count == 10)
  }

  @Test(
    "a damaged timeline says where",
    arguments: [
      ("a,b\n1,2\n3\n", "line 3: 1 fields, but 2 columns."),
      ("a,b\n1,x\n", "line 2: b is 'x', not a number."),
      ("scenario_s,b,scenario_s\n1,2,3\n", "line 1: two columns have the same name."),
    ])
  func damagedTimeline(csv: String, message: String) {
    #expect { try Timeline(csv: csv) } throws: { "\($0)" == message }
  }

  @Test("a condensed timeline has means, ends at the same instant and keeps phases apart")
  func condensed() throws {
    let timeline = try Timeline(csv: RunFixture.csv(rows: 60)).condensed(to: 12)
    #expect(timeline.rows <= 14)
    // With explicit types: otherwise `#expect` compares the numbers as AnyHashable, whose
    // conversion of a Double?? reads beyond its end in the toolchain.
    let (last, hour): (Double?, Double) = (try #require(timeline["scenario_s"].last), 3_600)
    #expect(last == 1_772_433_000.0 + hour)
    let (first, mean): (Double?, Double) = (timeline["offered_per_s"][0], 82)
    #expect(first == mean, "80, 81, 82, 83, 84")
    let (pushes, soFar): (Double?, Double) = (timeline["pushes_requested"][0], 40)
    #expect(pushes == soFar, "a count so far is that of the group's end: 0, 10, 20, 30, 40")
    #expect(timeline.phases.prefix(2) == ["ramp", "measure"])
  }

  @Test("files are found by folder or by run.json; missing and damaged files are reported")
  func reading() throws {
    let folder = try Folder()
    #expect { try RunFiles.read(from: folder.url) } throws: { "\($0)".contains("run.json") }
    let record = RunFixture.live().record
    try record.write(to: folder.url.appendingPathComponent("run.json"))
    let bare = try RunFiles.read(from: folder.url)
    #expect(bare.record == record && bare.timeline.rows == 0 && bare.latency == nil)
    _ = try folder.write(RunFixture.csv(rows: 5), "timeline.csv")
    var log = LatencyLog(startSeconds: 1, startText: "now")
    log.append(from: 0, length: 1, RunFixture.levels)
    _ = try folder.write(log.text, "latency.hlog")
    let files = try RunFiles.read(from: folder.url.appendingPathComponent("run.json"))
    #expect(files.timeline.rows == 5)
    #expect(files.latency?.response.total == 5_010)
    _ = try folder.write("Tag=response,0,1,2,HISTF\n", "latency.hlog")
    #expect { try RunFiles.read(from: folder.url) } throws: {
      "\($0)".contains("latency.hlog: cannot be read (line 1:")
    }
  }
}
