internal import Capacity
internal import Commands
internal import Core
internal import Foundation

/// The log of a user's server, as files and how to read them.
struct LogFiles: Equatable {
  var paths: [String] = []
  /// The columns, comma-separated `COLUMN=HEADER` or `COLUMN=NUMBER`; nil to use the header.
  var columns: String?
  /// The epoch of numeric times; nil to derive it from the numbers.
  var epoch: LogEpoch?
  var skipsBadLines = false

  private static let chunkBytes = 1 << 20
  /// The limit of an unpacked file: a few kilobytes may unpack to terabytes.
  private static let unpackedBytesMax = 1 << 36
  private static let standardInput = "-"

  /// The name of the first file, in letters, digits, '-' and '_'.
  var name: String {
    var url = URL(fileURLWithPath: paths.first ?? "")
    if url.pathExtension == "gz" { url.deletePathExtension() }
    let file = url.deletingPathExtension().lastPathComponent
    let plain = String(file.map { Self.isOfName($0) ? $0 : "-" }.prefix(60))
    return plain.contains { $0 != "-" } ? plain : "log"
  }

  static func isOfName(_ letter: Character) -> Bool {
    letter.isASCII && (letter.isLetter || letter.isNumber || letter == "-" || letter == "_")
  }

  /// Reads the files as one log; returns nil if stopped.
  func read(_ printer: ProgressPrinter, shouldStop: () -> Bool) throws -> PhoneLog? {
    let mapping = try columns.map { try ColumnMapping($0) } ?? ColumnMapping()
    var reader = LogReader(mapping, epoch: epoch, skipsBadLines: skipsBadLines)
    for path in paths {
      reader.begin(Self.shown(path))
      guard try Self.read(path, into: &reader, printer, shouldStop) else { return nil }
      try reader.end()
    }
    return try reader.finish()
  }

  private static func read(
    _ path: String, into reader: inout LogReader, _ printer: ProgressPrinter,
    _ shouldStop: () -> Bool
  ) throws -> Bool {
    let handle: FileHandle
    do {
      handle =
        path == standardInput
        ? .standardInput : try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    } catch { throw unreadable(path, error) }
    defer { try? handle.close() }
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    let size = (attributes?[.size] as? Int) ?? 0
    var done = 0
    do {
      let next = try Gunzip.unpacking(bytesMax: unpackedBytesMax) { (count) throws(GPXError) in
        do {
          // No data means the end of the file.
          let data = try handle.read(upToCount: count) ?? Data()
          done += data.count
          return Array(data)
        } catch {
          throw .unreadable(FileErrorText.reason(error))
        }
      }
      while true {
        if shouldStop() { return false }
        let chunk = try next(chunkBytes)
        if chunk.isEmpty { return true }
        try reader.take(chunk)
        let share = size > 0 ? min(1, Double(done) / Double(size)) : 0
        // The size of a pipe is unknown.
        let part = size > 0 ? Figure.percent(share) : ""
        printer.show(
          "reading \(shown(path))  \(part)  \(Figure.grouped(reader.count)) fixes", share: share)
      }
    } catch let error as GPXError {
      throw CommandError(exit: .badInput, message: error.sentence(shown(path)))
    }
  }

  private static func shown(_ path: String) -> String {
    path == standardInput ? "standard input" : path
  }

  private static func unreadable(_ path: String, _ error: any Error) -> CommandError {
    CommandError(
      exit: .badInput, message: "\(path): cannot be read (\(FileErrorText.reason(error))).")
  }
}

extension Option {
  /// Returns the options of a log: its files, given by `name`, and how to read them.
  static func log(
    _ name: String, _ path: WritableKeyPath<Options, LogFiles>, _ help: String
  ) -> [Option] {
    let columns = LogColumn.allCases.map(\.rawValue).joined(separator: ", ")
    return [
      .texts(name, "FILE", path.appending(path: \.paths), help),
      .text(
        "--columns", "COLUMN=NAME,…", path.appending(path: \.columns),
        "Header, JSON key or number (from 1) of a column of the log: \(columns)."),
      Option(
        "--epoch", "s|ms|us|apple",
        "Unit of the log's numeric times since 1970; apple: seconds since 2001. Default: derived "
          + "from the numbers.",
        wanted: "one of s, ms, us, apple", { LogEpoch(rawValue: $0) },
        set: { $1[keyPath: path].epoch = $0 }),
      .flag(
        "--skip-bad-lines", path.appending(path: \.skipsBadLines),
        "Skip invalid lines of the log and report their number."),
    ]
  }
}
