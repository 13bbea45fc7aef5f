internal import Capacity
internal import Commands
internal import Core
internal import Figures
internal import Foundation
internal import Report
internal import Run

enum FitCommand {
  static var command: Command { FitOptions.command(run) }

  private static func run(_ options: FitOptions, _ console: Console) throws -> ExitCode {
    guard !options.log.paths.isEmpty else {
      throw UsageError.missingValue(option: "--log", placeholder: "FILE")
    }
    let name = options.name ?? options.log.name
    let interruption = Interruption(console)
    let printer = ProgressPrinter(console, isQuiet: options.run.isQuiet)
    let began = RunSupport.monotonic()
    let log = try options.log.read(printer) { interruption.isRequested }
    printer.close()
    guard let log else {
      console.printError("Stopped while reading the log; no report.")
      return .interrupted
    }
    guard let study = LogStudy(log, utcOffset: options.utcOffset) else {
      throw CommandError(exit: .badInput, message: "\(options.log.paths[0]): contains no fix.")
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
}
