internal import Collector
internal import Commands
internal import Core
internal import Figures
internal import Foundation
internal import Report
internal import Run
internal import Transport
internal import Uploads

/// The common parts of `flotilla-lab bench`: interruption, a progress line and the final table.
struct BenchStand {
  let console: Console
  let interruption: Interruption
  private let isTerminal: Bool

  init(_ console: Console) {
    self.console = console
    isTerminal = console.surroundings.areErrorsTerminal
    interruption = Interruption(
      console,
      announce: { _ in
        console.printError(
          "Stopping; printing the results. Press Ctrl-C again to quit immediately.")
      })
  }

  /// Runs the rounds of a benchmark. Returns the benchmark's and the probe's rows, if any finished.
  func rows<Subject: Benchmark>(
    _ benchmark: @autoclosure () -> Subject, warmUp: Int, rounds: Int
  ) throws(Subject.BenchError) -> [BenchRow] {
    guard !interruption.isRequested else { return [] }
    var benchmark = benchmark()
    let harness = Harness(warmUp: warmUp, rounds: rounds, clock: { MonotonicClock.now })
    let what = ([benchmark.name] + benchmark.parameters.map(Self.words)).joined(separator: " ")
    defer { show("") }
    let rows = try harness.run(&benchmark) { round, of in
      show("\(what): round \(round) of \(of)")
      return !interruption.isRequested
    }
    return rows ?? []
  }

  private static func words(_ parameter: (name: String, value: BenchRow.Parameter)) -> String {
    switch parameter.value {
    case .count(let count): "\(parameter.name) \(Figure.grouped(count))"
    case .word(let word): "\(parameter.name) \(word)"
    }
  }

  /// Shows a line that replaces the previous line.
  func show(_ text: String) {
    guard isTerminal else { return }
    FileHandle.standardError.write(Data("\r\u{1B}[K\(text)".utf8))
  }

  /// Prints the rows. A missed bar is a result, and not a failure of the command.
  func finish(_ rows: [BenchRow], json: Bool) throws -> ExitCode {
    guard !rows.isEmpty else { return .interrupted }
    let table = BenchTable(rows)
    if json {
      console.line(try table.json())
    } else {
      console.line(table.text)
      if let summary = table.summary { console.line("\n\(summary)") }
    }
    return interruption.isRequested ? .interrupted : .pass
  }
}

/// The options of a command that measures rows.
protocol RowOptions: Equatable {
  var json: Bool { get set }

  init()
}

extension Command {
  /// Creates a command that measures rows and prints them; its last option is `--json`.
  init<Options: RowOptions>(
    _ name: String, _ summary: String, options: [Option<Options>], examples: [String],
    rows: @escaping (Options, BenchStand) throws -> [BenchRow]
  ) {
    self.init(
      name, summary,
      options: options + [.flag("--json", \.json, "Print the rows as JSON.")], examples: examples,
      start: Options(),
      body: { options, console in
        let stand = BenchStand(console)
        return try stand.finish(rows(options, stand), json: options.json)
      })
  }
}

enum BenchFolder {
  /// Creates the folder given by `--out`, or else a folder below `runs`.
  static func kept(_ out: String?, name: String) throws -> RunFolder {
    do throws(RunFolderError) { return try RunFolder(out, name: name, at: Date()) } catch {
      throw CommandError(exit: .cannotListenOrWrite, message: error.description)
    }
  }

  /// Writes a record and its report. Prints the record as JSON, or lines and the report's path.
  static func conclude(
    _ record: some StoredRecord, as name: String, _ report: Document, _ lines: [String],
    isJSON: Bool, in folder: RunFolder, _ console: Console
  ) throws {
    let json = try record.json()
    do throws(RunFolderError) {
      try folder.write(json, to: name)
      try folder.write(report.html(.installed), to: "report.html")
    } catch {
      throw CommandError(exit: .cannotListenOrWrite, message: error.description)
    }
    if isJSON { return console.line(String(decoding: json, as: UTF8.self)) }
    for line in lines + ["report   \(folder.path("report.html"))"] { console.line(line) }
  }

  /// Runs `body` with a temporary folder in `parent`. Errors become errors of the command.
  static func use<Value>(
    in parent: String = "runs", _ body: (URL) throws -> Value
  ) throws -> Value {
    let name = "bench-\(ProcessInfo.processInfo.processIdentifier)"
    let folder = URL(fileURLWithPath: parent).appendingPathComponent(name)
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw CommandError(
        exit: .cannotListenOrWrite,
        message: "\(folder.path): cannot be created (\(FileErrorText.reason(error))).")
    }
    defer { try? FileManager.default.removeItem(at: folder) }
    do { return try body(folder) } catch let problem as CollectorRunError {
      throw CommandError(exit: .cannotListenOrWrite, message: problem.description)
    } catch let problem as StoreError {
      throw CommandError(exit: .cannotListenOrWrite, message: problem.description)
    } catch let problem as TLSSetupError {
      throw CommandError(exit: .cannotListenOrWrite, message: problem.description)
    }
  }
}
