internal import Collector
internal import Core
internal import Figures
package import Foundation

/// The folder of a run. While a value exists, no other run in any process can use the folder.
package struct RunFolder: Sendable {
  package let url: URL
  private let lock: FolderLock

  /// The files that a run writes. The files of an earlier run are removed first.
  private static let files =
    [
      "run.json", "summary.md", "report.html", "timeline.csv", "latency.hlog", "phones.json",
      "log.txt", "inputs.bin", "demand.csv", "trials.csv", "compare.json", "compare.csv",
      "sweep.json", "sweep.csv", "sensitivity.json", "sensitivity.csv", "overload.json",
      "collector.log", ShareFile.name,
    ] + StoreFiles("collector.sqlite").all

  /// Creates the folder and its parents, and removes an earlier run's files.
  package init(_ path: String) throws(RunFolderError) {
    url = URL(fileURLWithPath: path, isDirectory: true)
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue {
      throw .cannotMake(path: path, why: "it is a file")
    }
    do {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    } catch {
      throw .cannotMake(path: path, why: FileErrorText.reason(error))
    }
    guard FileManager.default.isWritableFile(atPath: url.path) else {
      throw .cannotMake(path: path, why: "it is not writable")
    }
    guard let lock = FolderLock(url.path) else { throw .inUse(path: path) }
    self.lock = lock
    for name in Self.files where FileManager.default.fileExists(atPath: self.path(name)) {
      do { try FileManager.default.removeItem(atPath: self.path(name)) } catch {
        throw .cannotMake(path: self.path(name), why: FileErrorText.reason(error))
      }
    }
  }

  /// Creates the folder that the user named or, if `out` is nil, a new one under `runs`.
  package init(_ out: String?, name: String, at time: Date) throws(RunFolderError) {
    if let out {
      self = try RunFolder(out)
      return
    }
    let stamp = Date.ISO8601FormatStyle(
      dateSeparator: .omitted, dateTimeSeparator: .space, timeSeparator: .omitted,
      timeZone: .current
    ).year().month().day().time(includingFractionalSeconds: false)
    let path = "runs/\(name)-\(time.formatted(stamp).replacing(" ", with: "-"))"
    while true {
      do {
        self = try RunFolder(Self.unused(path))
        return
      } catch {
        // Another run started in the same second and has just created the folder.
        guard case .inUse = error else { throw error }
      }
    }
  }

  /// Returns an unused path, since two runs may start in the same second.
  private static func unused(_ path: String) -> String {
    var candidate = path
    var number = 2
    while FileManager.default.fileExists(atPath: candidate) {
      candidate = "\(path)-\(number)"
      number += 1
    }
    return candidate
  }

  package func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  /// Writes run.json, timeline.csv, latency.hlog (if there were sockets), phones.json (of a whole
  /// fleet), summary.md and log.txt; throws at the first file that cannot be written.
  package func write(_ outcome: RunOutcome) throws(RunFolderError) {
    do throws(RunRecordError) {
      try outcome.record.write(to: url.appendingPathComponent("run.json"))
    } catch {
      throw .cannotWrite(path: path("run.json"), why: error.reason)
    }
    let rows = [TimelineRow.header] + outcome.timeline.map(\.csv)
    try write(rows.joined(separator: "\n") + "\n", to: "timeline.csv")
    if let log = outcome.latencyLog { try write(log, to: "latency.hlog") }
    if let phones = try? outcome.phones?.json() { try write(phones, to: "phones.json") }
    try write(summaryMarkdown(outcome.record), to: "summary.md")
    try write(outcome.log.map { $0 + "\n" }.joined(), to: "log.txt")
  }

  package func write(_ text: String, to name: String) throws(RunFolderError) {
    try write(Data(text.utf8), to: name)
  }

  package func write(_ data: Data, to name: String) throws(RunFolderError) {
    do {
      try data.write(to: url.appendingPathComponent(name))
    } catch {
      throw .cannotWrite(path: path(name), why: FileErrorText.reason(error))
    }
  }
}

/// Locks a folder against other runs, without a file. The lock ends with the process at the latest.
private final class FolderLock: Sendable {
  private let descriptor: Int32

  /// Locks a folder, if its file system has locks; nil if another run uses the folder.
  init?(_ path: String) {
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK else {
      return
    }
    close(descriptor)
    return nil
  }

  deinit { if descriptor >= 0 { close(descriptor) } }
}

package enum RunFolderError: Error, Equatable, Sendable, CustomStringConvertible {
  case cannotMake(path: String, why: String)
  case inUse(path: String)
  case cannotWrite(path: String, why: String)

  package var description: String {
    switch self {
    case .cannotMake(let path, let why):
      "\(path): the run's folder cannot be made (\(why)). Choose another --out."
    case .inUse(let path):
      "\(path): another run is writing to this folder. Choose another --out, or wait for its end."
    case .cannotWrite(let path, let why):
      "\(path): cannot be written (\(why)). Choose another --out."
    }
  }
}
