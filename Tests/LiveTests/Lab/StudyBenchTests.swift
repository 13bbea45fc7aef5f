import Foundation
import LiveSupport
import TestSupport
import Testing

/// `flotilla-lab bench` as a program.
enum BenchProgram {
  static func row(_ arguments: [String], _ bench: String) async throws -> [String: Any] {
    let ended = try await Program.run(["bench"] + arguments + ["--json"], of: Program.lab)
    #expect(ended.code == 0, "\(ended.text)\(ended.errorOutput)")
    let rows = try JSONSerialization.jsonObject(with: ended.output) as? [[String: Any]]
    return try #require(rows?.first { $0["bench"] as? String == bench })
  }

  static func median(_ row: [String: Any], _ figure: String) -> Double {
    (row[figure] as? [String: Double])?["median"] ?? -1
  }
}

/// Benches that need no idle machine to have figures.
@Suite("Benchmarks of studies and files", .live, .timeLimit(.minutes(10)))
struct StudyBenchTests {
  @Test("bench tune reports the search's share of the grid's phone-days")
  func tune() async throws {
    let row = try await BenchProgram.row(["tune", "--phones", "40", "--rounds", "1"], "tune")
    let (search, grid) = (
      BenchProgram.median(row, "searchPhoneDays"), BenchProgram.median(row, "gridPhoneDays")
    )
    #expect(search > 0 && BenchProgram.median(row, "candidates") == 48)
    #expect(abs(BenchProgram.median(row, "shareOfGridPhoneDays") - search / grid) < 1e-9)
  }

  @Test(
    "bench files reads a GPX file and a log that it has written, and opens a report",
    .needs(.chromium))
  func files() async throws {
    let row = try await BenchProgram.row(
      ["files", "--quick", "--rows", "20000", "--rounds", "1"], "files")
    for figure in ["gpxSeconds", "fitSeconds", "reportSeconds", "openSeconds"] {
      #expect(BenchProgram.median(row, figure) > 0, "\(figure)")
    }
  }
}
