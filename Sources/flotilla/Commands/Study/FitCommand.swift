internal import Capacity
internal import Commands
internal import Core
internal import Figures
internal import Foundation
internal import Report
internal import Run
internal import Scenarios

enum FitCommand {
  static var command: Command { FitOptions.command(run) }

  private static func run(_ options: FitOptions, _ console: Console) throws -> ExitCode {
    guard !options.logs.isEmpty else {
      throw UsageError.missingValue(option: "--log", placeholder: "FILE")
    }
    let name = name(options)
    let interruption = Interruption(console)
    let printer = ProgressPrinter(console, isQuiet: options.run.isQuiet)
    let began = RunSupport.monotonic()
    let log = try readLogs(options, printer) { interruption.isRequested }
    printer.close()
    guard let log else {
      console.printError("Stopped while reading the log; no report.")
      return .interrupted
    }
    guard let study = LogStudy(log, utcOffset: options.utcOffset) else {
      throw CommandError(exit: .badInput, message: "\(options.logs[0]): contains no fix.")
    }
    var work = FitWork(study, name: name, options: options, console)
    if options.run.isDryRun {
      let record = work.described
      if options.isJSON {
        _ = try record.json().withUnsafeBytes { console.write($0) }
      } else {
        for line in record.report.lines { console.line(line) }
      }
      return .pass
    }
    let folder = try RunSupport.folder(options.run.out, name: "\(name)-\(Studies.fit.word)")
    var record = try work.run(in: folder, printer) { interruption.isRequested }
    printer.close()
    record.timing.wallSeconds = (RunSupport.monotonic() - began).seconds
    let stopped = "Stopped after \(record.trials.count) policies; the best of them is reported."
    let end = StudyCommand.End(
      notes: [record.isInterrupted ? stopped : nil],
      files: {
        record.fitted == nil
          ? [:]
          : [
            "scenario": folder.path("\(name).yaml"),
            "policy": folder.path("policies/\(name).yaml"),
            "profile": folder.path("profiles/sensors/\(name).yaml"),
          ]
      }, exit: record.isInterrupted ? .interrupted : .pass)
    return try StudyCommand(
      file: Studies.fit, options: options.run, console: console, isJSON: options.isJSON
    ).conclude(record, end, folder)
  }

  // MARK: Options

  private static func name(_ options: FitOptions) -> String {
    if let name = options.name { return name }
    var url = URL(fileURLWithPath: options.logs[0])
    if url.pathExtension == "gz" { url.deletePathExtension() }
    let file = url.deletingPathExtension().lastPathComponent
    let plain = String(file.map { FitOptions.isOfName($0) ? $0 : "-" }.prefix(60))
    return plain.contains { $0 != "-" } ? plain : "log"
  }
}

extension FitCommand {
  private static let chunkBytes = 1 << 20
  /// The limit of an unpacked file: a few kilobytes may unpack to terabytes.
  private static let unpackedBytesMax = 1 << 36
  private static let standardInput = "-"

  private static func readLogs(
    _ options: FitOptions, _ printer: ProgressPrinter, shouldStop: () -> Bool
  ) throws -> PhoneLog? {
    let mapping = try options.columns.map { try ColumnMapping($0) } ?? ColumnMapping()
    var reader = LogReader(
      mapping, epoch: options.epoch, skipsBadLines: options.skipsBadLines)
    for path in options.logs {
      reader.begin(shown(path))
      guard try readLog(path, into: &reader, printer, shouldStop) else { return nil }
      try reader.end()
    }
    return try reader.finish()
  }

  private static func readLog(
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
