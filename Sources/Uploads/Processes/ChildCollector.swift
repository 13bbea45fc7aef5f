package import Core
internal import Foundation
internal import Synchronization
internal import Transport
package import Wire

package enum CollectorRunError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The collector cannot be reached (exit code 69).
  case unreachable(String)
  /// The child failed to listen (exit code 73).
  case childFailed(String)
  /// The collector has another compression dictionary, 0 for none (exit code 65).
  case otherDictionary(wanted: UInt32, known: UInt32)
  /// The collector cannot decode what the scenario's phones would send (exit code 65).
  case otherEncoding(wanted: Encoding, known: [Encoding])
  /// The start of the run has passed (exit code 98).
  case startPassed(WallDuration)
  /// Sending the uploads of `prime` would take longer than the time they cover (exit code 65).
  case tooSlow(String)
  /// The collector's store did not answer at the end of the run (exit code 99).
  case unverified(String)

  package var description: String {
    switch self {
    case .unreachable(let why): why
    case .childFailed(let why): why
    case .tooSlow(let why): why
    case .unverified(let why): why
    case .otherDictionary(let wanted, let known):
      "the dictionary \(wanted) is not the collector's "
        + (known == 0 ? "(it has none)" : "(it has \(known))")
        + "; start it with 'flotilla collect --dictionary' and the same file"
    case .otherEncoding(let wanted, let known):
      "the collector cannot decode \(wanted), only "
        + known.map { "\($0)" }.joined(separator: ", ")
        + "; change 'encoding' in the scenario"
    case .startPassed(let late):
      "the fleet was ready \(Figure.plain((late.seconds * 10).rounded(.up) / 10)) s after "
        + "run.startAt; choose a later instant, or a shorter warmStart"
    }
  }
}

/// A collector process of this run. Used from the run's own thread only. The child exits when a
/// pipe from its parent closes, so a killed generator leaves no child behind.
package final class ChildCollector {
  package struct Command: Sendable {
    package var executable: String
    /// The arguments without `--listen`.
    package var arguments: [String]
    package var logFile: String
    package init(executable: String, arguments: [String], logFile: String) {
      self.executable = executable
      self.arguments = arguments
      self.logFile = logFile
    }
  }

  private let command: Command
  private var process: Process?
  private var exit = Awaited<Void>()
  private var lifeline: Pipe?
  /// The port on which the collector listens; 0 before the start.
  package private(set) var port: UInt16 = 0
  package private(set) var restarts = 0
  private var spentMicroseconds: Int64 = 0
  private var last: ProcessMetrics?

  private static let started = Mutex<[Int32]>([])

  /// Continues this program's stopped collectors, so that each sees its pipe close and exits. Call
  /// from any thread, just before the program exits.
  package static func continueAll() {
    for pid in started.withLock({ $0 }) { kill(pid, SIGCONT) }
  }

  package init(_ command: Command) { self.command = command }

  deinit { process?.terminate() }

  package func start(port wanted: UInt16 = 0) throws(CollectorRunError) {
    if let shortage = ProcessNeeds.shortageOfParent { throw .childFailed(shortage) }
    let process = Process()
    let exit = Awaited<Void>()
    process.terminationHandler = { _ in exit.set(()) }
    process.executableURL = URL(fileURLWithPath: command.executable)
    process.arguments = command.arguments + ["--listen", "127.0.0.1:\(wanted)"]
    let output = Pipe()
    let lifeline = Pipe()
    process.standardInput = lifeline
    process.standardOutput = output
    process.standardError = log()
    do { try process.run() } catch {
      throw .childFailed(
        "\(command.executable): cannot be started (\(FileErrorText.reason(error)))")
    }
    self.process = process
    self.exit = exit
    self.lifeline = lifeline
    Self.started.withLock { $0.append(process.processIdentifier) }
    // With the write end closed here, reading ends when the child exits.
    try? output.fileHandleForWriting.close()
    port = try Self.listeningPort(output.fileHandleForReading, process, command.logFile)
  }

  private func log() -> FileHandle {
    if !FileManager.default.fileExists(atPath: command.logFile) {
      _ = FileManager.default.createFile(atPath: command.logFile, contents: nil)
    }
    guard let handle = FileHandle(forWritingAtPath: command.logFile) else {
      return .standardError
    }
    handle.seekToEndOfFile()
    return handle
  }

  /// Reads the port from the child's first line, "listening on HOST:PORT".
  private static func listeningPort(
    _ output: FileHandle, _ process: Process, _ log: String
  ) throws(CollectorRunError) -> UInt16 {
    var text = ""
    while !text.contains("\n") {
      let data = output.availableData
      guard !data.isEmpty else { break }
      text += String(decoding: data, as: UTF8.self)
    }
    let line = text.split(separator: "\n").first ?? ""
    if line.hasPrefix("listening on "), let colon = line.lastIndex(of: ":"),
      let port = UInt16(line[line.index(after: colon)...])
    {
      return port
    }
    process.waitUntilExit()
    let said = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
    let reason = said.split(separator: "\n").last.map(String.init) ?? "it printed nothing"
    throw .childFailed("the collector did not start: \(reason)")
  }

  package var isRunning: Bool { process?.isRunning ?? false }
  package var pid: Int32? { process?.processIdentifier }

  /// Returns the CPU time of all starts of the child so far, and the memory of the last.
  package func metrics() -> ProcessMetrics? {
    if let pid, isRunning, let now = ProcessMetrics.of(pid: pid) { last = now }
    guard var sum = last else { return nil }
    sum.cpuMicroseconds += spentMicroseconds
    return sum
  }

  /// The exit code of the last process, as a shell reports it; nil while the process runs.
  package var exitCode: Int32? {
    guard let process, !process.isRunning else { return nil }
    return process.terminationStatus + (process.terminationReason == .exit ? 0 : 128)
  }

  package func signal(_ number: Int32) {
    guard let pid, isRunning else { return }
    kill(pid, number)
  }

  package func restart() throws(CollectorRunError) {
    process?.waitUntilExit()
    spentMicroseconds += last?.cpuMicroseconds ?? 0
    last = nil
    restarts += 1
    try start(port: port)
  }

  /// Asks the process to drain and exit, and kills it after ten seconds.
  package func stop() {
    guard let process, process.isRunning else { return }
    signal(SIGCONT)
    signal(SIGTERM)
    if exit.wait(until: .now() + 10).isEmpty { signal(SIGKILL) }
    process.waitUntilExit()
  }
}
