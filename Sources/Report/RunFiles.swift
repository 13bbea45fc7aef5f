package import Capacity
package import Core
package import Figures
package import Foundation

package struct RunFiles: Sendable {
  @Boxed package var record: RunRecord
  /// The rows of `timeline.csv`; empty without the file.
  package var timeline: Timeline
  /// The sum of all intervals of `latency.hlog`; nil without sockets.
  package var latency: LatencyHistograms?
  package var intervals: [LatencyLog.Interval] = []
  /// The content of `phones.json`; nil without the file.
  package var phones: PhoneSample?
  /// A sensitivity study of the scenario; nil if none was given.
  package var sensitivity: SensitivityRecord?
  /// The `ClaimEvidence` that `flotilla-lab calibrate` records; nil if none was recorded.
  package var evidence: Facts?

  /// Creates the files of a run from values in memory, without latency intervals.
  package init(
    record: RunRecord, timeline: Timeline = Timeline(), latency: LatencyHistograms? = nil
  ) {
    self.record = record
    self.timeline = timeline
    self.latency = latency
  }

  /// - Parameter folder: The run's folder, or its `run.json`.
  package static func read(from folder: URL) throws(RunFilesError) -> RunFiles {
    let home = home(folder)
    let record: RunRecord
    do throws(RunRecordError) {
      record = try RunRecord.read(from: home.appendingPathComponent("run.json"))
    } catch {
      throw .record(error)
    }
    if let damage = record.planDamage {
      let path = home.appendingPathComponent("run.json").path
      throw .record(.notARecord(path: path, why: damage))
    }
    var files = RunFiles(record: record)
    let timeline = home.appendingPathComponent("timeline.csv")
    if let text = try text(timeline) {
      do throws(LineError) { files.timeline = try Timeline(csv: text) } catch {
        throw .unreadable(path: timeline.path, why: error.description)
      }
    }
    let phones = home.appendingPathComponent("phones.json")
    if FileManager.default.fileExists(atPath: phones.path) {
      do throws(RunRecordError) { files.phones = try PhoneSample.read(from: phones) } catch {
        throw .record(error)
      }
    }
    let log = home.appendingPathComponent("latency.hlog")
    if let text = try text(log) {
      do throws(LineError) {
        files.intervals = try LatencyLog.intervals(of: text)
        files.latency = try LatencyLog.sum(files.intervals)
      } catch {
        throw .unreadable(path: log.path, why: error.description)
      }
    }
    return files
  }

  static func home(_ folder: URL) -> URL {
    folder.lastPathComponent == "run.json" ? folder.deletingLastPathComponent() : folder
  }

  private static func text(_ file: URL) throws(RunFilesError) -> String? {
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    do {
      return try String(contentsOf: file, encoding: .utf8)
    } catch {
      throw .unreadable(path: file.path, why: FileErrorText.reason(error))
    }
  }
}

package enum RunFilesError: Error, Equatable, Sendable, CustomStringConvertible {
  case record(RunRecordError)
  case unreadable(path: String, why: String)

  package var description: String {
    switch self {
    case .record(let error): error.description
    case .unreadable(let path, let why):
      "\(path): cannot be read (\(why)) Restore the file that the run wrote, or delete it."
    }
  }
}
