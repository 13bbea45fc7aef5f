import Core
import Figures
@testable import Report

/// Compared runs, made by hand.
enum ComparisonFixture {
  /// A live run with a response log, whose response is `factor` times as long.
  static func run(
    _ factor: Double = 1, world: String? = "w", _ change: (inout RunRecord) -> Void = { _ in }
  ) throws -> RunFiles {
    var log = LatencyLog(startSeconds: 0, startText: "")
    var sums = LatencyHistograms()
    // The fewest that have an interval: every resample merges them all.
    for second in 5..<36 {
      var latency = LatencyHistograms()
      for i in 1...125 as ClosedRange<Int64> {
        let time = Double(500 + i * 10 + Int64(second * 7 % 40)) * factor
        latency.response.record(Int64(time))
      }
      log.append(from: Double(second), length: 1, latency)
      sums.response.merge(latency.response)
    }
    var files = RunFixture.live { record in
      record.latency = RunRecord.Latency(sums)
      record.digest.world = world
      record.scenario.text = "fleet:\n  cohorts:\n    - name: commuters\n      policy: hybrid\n"
      change(&record)
    }
    files.intervals = try LatencyLog.intervals(of: log.text)
    return files
  }

  static func comparison(_ other: RunFiles, tolerance: Double = 0.05) throws -> RunComparison {
    try RunComparison(
      [("runs/a", try run()), ("runs/b", other)], tolerance: tolerance, resamples: 24)
  }

  /// Two runs side by side, for a browser.
  static func page(_ libraries: PageLibraries) throws -> String {
    try comparison(try run(1.2)).report([try run(), try run(1.2)]).html(libraries)
  }
}
