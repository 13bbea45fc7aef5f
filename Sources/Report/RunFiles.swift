package import Capacity
package import Figures
package import Foundation
package import SimulationCore

/// What a report is made of: the files that a run left behind, and nothing else.
package struct RunFiles: Sendable {
  /// Is the run record, from `run.json`.
  @Boxed package var record: RunRecord
  /// Is the timeline, from `timeline.csv`; empty where the run left none.
  package var timeline: Timeline
  /// All intervals of `latency.hlog` together; nil when the run had no sockets.
  package var latency: LatencyHistograms?
  /// The same, interval by interval.
  package var intervals: [LatencyLog.Interval] = []
  /// Is a study of what the scenario's answers hang on; nil: none was given.
  package var sensitivity: SensitivityRecord?
  /// Says which of the model's predictions held; nil: no calibration was kept.
  package var evidence: PredictionEvidence?

  /// Makes run files from values in memory, without latency intervals.
  package init(
    record: RunRecord, timeline: Timeline = Timeline(), latency: LatencyHistograms? = nil
  ) {
    self.record = record
    self.timeline = timeline
    self.latency = latency
  }

  /// - Parameter folder: of the run; or its `run.json`.
  package static func read(from folder: URL) throws(RunFilesError) -> RunFiles {
    let home = folder.lastPathComponent == "run.json" ? folder.deletingLastPathComponent() : folder
    let record: RunRecord
    do throws(RunRecordError) {
      record = try RunRecord.read(from: home.appendingPathComponent("run.json"))
    } catch {
      throw .record(error)
    }
    var files = RunFiles(record: record)
    let timeline = home.appendingPathComponent("timeline.csv")
    if let text = try text(timeline) {
      do throws(TimelineError) { files.timeline = try Timeline(csv: text) } catch {
        throw .unreadable(path: timeline.path, why: error.description)
      }
    }
    let log = home.appendingPathComponent("latency.hlog")
    if let text = try text(log) {
      do throws(LatencyLogError) {
        files.intervals = try LatencyLog.intervals(of: text)
        files.latency = try LatencyLog.sum(files.intervals)
      } catch {
        throw .unreadable(path: log.path, why: error.description)
      }
    }
    return files
  }

  /// nil: there is no such file.
  private static func text(_ file: URL) throws(RunFilesError) -> String? {
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    do {
      return try String(contentsOf: file, encoding: .utf8)
    } catch {
      throw .unreadable(path: file.path, why: FileErrorText.reason(error))
    }
  }
}

/// Why a run cannot be reported.
package enum RunFilesError: Error, Equatable, Sendable, CustomStringConvertible {
  case record(RunRecordError)
  case unreadable(path: String, why: String)

  /// Names the file that cannot be read, with the reason.
  package var description: String {
    switch self {
    case .record(let error): error.description
    case .unreadable(let path, let why):
      "\(path): cannot be read (\(why)) Give the file as the run wrote it, or move it away."
    }
  }
}
