package import Foundation
internal import TestSupport
package import Testing

/// The built program, and the processes that a test starts from it.
package enum Program {
  package static let root = Machine.root

  /// SwiftPM puts the program next to the test bundle.
  package static let url: URL = {
    let bundles = Bundle.allBundles.filter { $0.bundlePath.hasSuffix(".xctest") }
    let folders =
      [Bundle.main.executableURL?.deletingLastPathComponent()].compactMap { $0 }
      + bundles.map { $0.bundleURL.deletingLastPathComponent() }
      + [root.appendingPathComponent(".build/debug")]
    let candidates = folders.map { $0.appendingPathComponent("flotilla") }
    return candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) }
      ?? candidates[candidates.count - 1]
  }()

  /// The lab program, in the same folder.
  package static let lab = url.deletingLastPathComponent().appendingPathComponent("flotilla-lab")

  /// The program for simulations whose output does not depend on the build: the optimised one if it
  /// is as new as the tests or continuous integration, which builds both, runs them; else the tests'
  /// own.
  package static let fast: URL = {
    func made(_ file: URL) -> Date? {
      (try? file.resourceValues(forKeys: [.contentModificationDateKey]))?.contentModificationDate
    }
    guard let path = Oracle.optimisedProgram.path else { return url }
    let optimised = URL(fileURLWithPath: path)
    guard let last = made(optimised), let own = made(url), last >= own || Machine.isCI else {
      return url
    }
    return optimised
  }()

  package static func start(_ arguments: [String]) throws -> RunningProcess {
    try RunningProcess(url, arguments)
  }

  /// Runs the program to its end.
  package static func run(_ arguments: [String], of program: URL = url) async throws -> Ended {
    try await RunningProcess(program, arguments).end()
  }

  /// Runs a line of shell in which `$FLOTILLA` is the program.
  package static func line(_ line: String) async throws -> Ended {
    let words = ["-c", "FLOTILLA='\(url.path)'; \(line)"]
    return try await RunningProcess(URL(fileURLWithPath: "/bin/sh"), words).end()
  }

  /// A tool of the system; nil if it is not installed.
  package static func tool(_ name: String) -> URL? {
    Machine.program(name).map { URL(fileURLWithPath: $0) }
  }

  package static func runTool(
    _ name: String, _ arguments: [String], input: URL? = nil
  ) async throws -> Ended {
    guard let tool = tool(name) else { throw ToolError.noTool(name) }
    return try await RunningProcess(tool, arguments, input: input).end()
  }
}

/// Result of a process that ended.
package struct Ended {
  /// As a shell gives it: 128 + the signal for a process that a signal ended.
  package let code: Int32
  package let output: Data
  package let errorOutput: String

  package var text: String { String(decoding: output, as: UTF8.self) }

  package init(code: Int32, output: Data, errorOutput: String) {
    self.code = code
    self.output = output
    self.errorOutput = errorOutput
  }

  /// A run ended, or with a code of `codes` as 130 does, whatever its verdict on this machine.
  package func expectRun(
    _ codes: [Int32] = [0, 98, 99], _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(codes.contains(code), "\(text)\(errorOutput)", sourceLocation: location)
  }

  /// The same for an interrupted run.
  package func expectInterrupted(_ location: SourceLocation = #_sourceLocation) {
    expectRun([98, 130], location)
  }

  /// It ended with that code and one line of errors, which contains the words.
  package func expectOneLine(
    _ code: Int32, _ words: String..., location: SourceLocation = #_sourceLocation
  ) {
    #expect(self.code == code, "\(text)\(errorOutput)", sourceLocation: location)
    let lines = errorOutput.split(separator: "\n").count
    #expect(lines == 1, "\(errorOutput)", sourceLocation: location)
    for word in words {
      #expect(errorOutput.contains(word), "\(errorOutput)", sourceLocation: location)
    }
    // Not a framework's message.
    for word in ["Error Domain", "CocoaError"] {
      #expect(!errorOutput.contains(word), "\(errorOutput)", sourceLocation: location)
    }
  }
}

package enum ToolError: Error, CustomStringConvertible {
  case timedOut(String, after: Duration, soFar: String)
  case ended(String, code: Int32, soFar: String)
  case noTool(String)
  case noKey(String)

  package var description: String {
    switch self {
    case .timedOut(let what, let waited, let text): "\(what): not after \(waited). So far: \(text)"
    case .ended(let what, let code, let text): "\(what): it ended with \(code). So far: \(text)"
    case .noTool(let name): "\(name) is not installed; `make deps-test` does it"
    case .noKey(let path): "run.json has no \(path), or of another type"
    }
  }
}

/// A process whose output goes to files, so that no reader is needed and nothing blocks.
package final class RunningProcess {
  private let process: Child
  private let folder: TemporaryFolder
  private let name: String

  package init(
    _ executable: URL, _ arguments: [String], input: URL? = nil,
    environment: [String: String] = [:]
  ) throws {
    folder = try TemporaryFolder()
    name = "\(executable.lastPathComponent) \(arguments.joined(separator: " "))"
    var surroundings = Child.Surroundings()
    surroundings.input = input
    surroundings.folder = Program.root
    // One test's warm start is not for another, and their runs are not a build server's.
    surroundings.environment = ProcessInfo.processInfo.environment
      .merging(["XDG_CACHE_HOME": folder["cache"].path, "GITHUB_ACTIONS": ""]) { $1 }
      .merging(environment) { $1 }
    // Independent of the thread that starts it.
    surroundings.inheritsSignals = true
    surroundings.leadsGroup = true
    process = try Child(
      executable.path, arguments, output: folder["stdout"], errors: folder["stderr"],
      in: surroundings)
  }

  /// A failed test leaves no process behind, and none that writes into a deleted folder.
  deinit { process.end(SIGKILL) }

  package var pid: Int32 { process.pid }
  package var isAlive: Bool { process.code == nil }
  package var output: Data { (try? Data(contentsOf: folder["stdout"])) ?? Data() }
  package var text: String { String(decoding: output, as: UTF8.self) }
  package var errorOutput: String {
    (try? String(contentsOf: folder["stderr"], encoding: .utf8)) ?? ""
  }

  package func signal(_ number: Int32) { kill(pid, number) }

  package func end() async throws -> Ended {
    try await eventually("\(name) ends", soFar: text + errorOutput) { !isAlive }
    return Ended(code: process.code ?? 0, output: output, errorOutput: errorOutput)
  }

  /// Waits until standard output contains `mark`.
  package func says(_ mark: String) async throws {
    try await says("'\(mark)'") { $0.contains(mark) }
  }

  /// Waits until standard output satisfies a condition.
  package func says(_ what: String, _ isSaid: (String) -> Bool) async throws {
    try await eventually("\(name) says \(what)", soFar: text + errorOutput) {
      // Read first: output before the end is complete when the process has ended.
      let isOver = !isAlive
      if isSaid(text) { return true }
      guard isOver else { return false }
      throw ToolError.ended(
        "\(name) says \(what)", code: process.code ?? 0, soFar: text + errorOutput)
    }
  }

  /// Waits for batches acknowledged in the measured time, in output from now on.
  package func acknowledges(after printed: Int = 0) async throws {
    try await says("acknowledged, measured batches") {
      $0.dropFirst(printed).contains(#/ measure .*acked=[1-9]/#)
    }
  }

  /// Waits, from now on, for uploads without an answer.
  package func hasUploadsUnderWay() async throws {
    let printed = text.count
    try await says("uploads under way") { $0.dropFirst(printed).contains(#/inflight=[1-9]/#) }
  }

  /// The collector that a load run has started.
  package func collector() async throws -> Int32 {
    var found: Int32?
    try await eventually("\(name) has a collector", soFar: text + errorOutput) {
      let isOver = !isAlive
      found = try await ProcessTable.children(of: pid).first
      if found == nil, isOver {
        throw ToolError.ended(
          "\(name) has a collector", code: process.code ?? 0, soFar: text + errorOutput)
      }
      return found != nil
    }
    return found ?? 0
  }
}

/// Polls until a condition holds.
///
/// The limits, of five minutes and of the test, are for hangs, not for speed.
package func eventually(
  _ what: String, every pause: Duration = .milliseconds(20),
  soFar: @autoclosure () async -> String = "", _ condition: () async throws -> Bool
) async throws {
  let start = ContinuousClock.now
  while try await !condition() {
    let isCancelled = (try? await Task.sleep(for: pause)) == nil
    if isCancelled || .now - start > .seconds(300) {
      throw ToolError.timedOut(what, after: .now - start, soFar: await soFar())
    }
  }
}

/// The running processes, from `ps`.
package enum ProcessTable {
  package static func children(of parent: Int32) async throws -> [Int32] {
    let table = try await Program.runTool("ps", ["-A", "-o", "pid=,ppid="])
    return table.text.split(separator: "\n").compactMap { line in
      let columns = line.split(separator: " ").compactMap { Int32($0) }
      return columns.count == 2 && columns[1] == parent ? columns[0] : nil
    }
  }

  /// A zombie that has not been waited for counts as ended.
  package static func isAlive(_ pid: Int32) async throws -> Bool {
    let state = try await state(of: pid)
    return !state.isEmpty && !state.hasPrefix("Z")
  }

  /// The same without starting a process, for tests that measure time.
  package static func isRunning(_ pid: Int32) -> Bool {
    guard let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
      let name = text.lastIndex(of: ")")
    else { return false }
    return !text[name...].dropFirst(2).hasPrefix("Z")
  }

  package static func isStopped(_ pid: Int32) async throws -> Bool {
    try await state(of: pid).hasPrefix("T")
  }

  private static func state(of pid: Int32) async throws -> String {
    try await Program.runTool("ps", ["-o", "stat=", "-p", "\(pid)"]).text
  }
}
