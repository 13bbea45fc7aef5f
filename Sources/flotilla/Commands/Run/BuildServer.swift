internal import Commands
internal import Core
internal import Figures
internal import Report

/// Writes what build servers read of a run: JUnit XML (`--junit`) and, on GitHub, annotations and
/// the summary of the step. Used on the command's thread.
final class BuildServer {
  private let command: String
  private let options: RunOptions
  private let console: Console
  private var ended: JUnitSuite?
  private var lines: [String] = []

  private init(_ command: String, _ options: RunOptions, _ console: Console) {
    (self.command, self.options, self.console) = (command, options, console)
  }

  /// Runs a command, and writes how it ended, whether it returns or throws.
  static func report(
    _ command: String, _ options: RunOptions, _ console: Console,
    _ run: (BuildServer) throws -> ExitCode
  ) throws -> ExitCode {
    let server = BuildServer(command, options, console)
    // Only one process of a run writes.
    guard !options.isDryRun, Ranks.number ?? 0 == 0 else { return try run(server) }
    try server.begin()
    let code: ExitCode
    do { code = try run(server) } catch {
      server.add(server.words(error))
      do { try server.write() } catch { console.printError("flotilla: \(error).") }
      throw error
    }
    if code != .pass, server.ended?.isGreen ?? true { server.add(code.meaning) }
    try server.write()
    return code
  }

  /// Takes the result of the run.
  func note(_ record: RunRecord, undecided: [UndecidedLevel] = [], _ lines: [String]) {
    ended = JUnitSuite(record, command, undecided: undecided)
    self.lines = lines
  }

  /// Leaves a failure in the file until the run has ended: a run that is killed writes nothing, and
  /// the file of an earlier run would pass for its result.
  private func begin() throws {
    guard let path = options.junit else { return }
    try FileOutput.check(path)
    guard FileOutput.isReplaced(path) else { return }
    try FileOutput.write(xml(suite(with: "The run has not ended.")), to: path)
  }

  private func words(_ error: any Error) -> String {
    (error as? any ExitError)?.message ?? "\(error)"
  }

  private func add(_ fault: String) { ended = suite(with: fault) }

  private func suite(with fault: String) -> JUnitSuite {
    let name = options.scenario.name
    var suite = ended ?? JUnitSuite("flotilla \(command) \(name)", [])
    suite.cases.append(.init("\(command).\(name)", "end", .error, fault))
    return suite
  }

  private func xml(_ suite: JUnitSuite) -> String {
    JUnitSuite.xml([suite], name: "flotilla \(command)")
  }

  private func write() throws {
    guard let suite = ended else { return }
    let environment = console.surroundings.environment
    if environment["GITHUB_ACTIONS"] == "true" {
      for line in suite.annotations {
        // Standard output may have JSON only.
        if options.interface == .json { console.printError(line) } else { console.line(line) }
      }
      if let page = environment["GITHUB_STEP_SUMMARY"], !page.isEmpty {
        FileOutput.append(suite.summary(lines), to: page)
      }
    }
    if let path = options.junit { try FileOutput.write(xml(suite), to: path) }
  }
}

extension Option {
  static func junit(_ path: WritableKeyPath<Options, RunOptions>) -> Option {
    .text(
      "--junit", "FILE", path.appending(path: \.junit),
      "Write JUnit XML to this file, a case for the verdict and for each objective.")
  }
}
