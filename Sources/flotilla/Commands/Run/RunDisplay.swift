internal import Commands
internal import Core
internal import Figures
internal import Foundation
internal import Report
internal import Run
internal import Scenarios
internal import Synchronization

final class RunDisplay: Sendable {
  private enum Form: Sendable {
    case screen(LiveScreen)
    case lines(ProgressPrinter)
    case json(JSONLines)
    case nothing
  }

  private let form: Form
  let console: Console
  private let interruption: Interruption
  private let source: Snapshot.Source
  private let web: LiveWeb?
  private let metrics: MetricsFeed?

  /// - Parameter isShown: False in all processes of a run but the first.
  init(
    _ first: Snapshot, _ options: RunOptions, _ console: Console, interruption: Interruption,
    isShown: Bool = true, web: LiveWeb? = nil, metrics: MetricsFeed? = nil
  ) {
    self.web = web
    self.metrics = metrics
    self.console = console
    self.interruption = interruption
    source = first.source
    form = isShown ? Self.form(first, options, console, interruption) : .nothing
  }

  private static func form(
    _ first: Snapshot, _ options: RunOptions, _ console: Console, _ interruption: Interruption
  ) -> Form {
    // Under mpirun, standard output looks like a terminal but is a pipe.
    let interface = Ranks.isJoined && options.interface == .auto ? .plain : options.interface
    if interface == .json { return .json(JSONLines(console)) }
    if options.isQuiet || interface == .none { return .nothing }
    let lines = Form.lines(ProgressPrinter(console, rewrites: interface == .auto))
    let screen = ScreenOpening.screen(first, interface, console) { interruption.request() }
    guard let screen else { return lines }
    return .screen(screen)
  }

  var hasScreen: Bool {
    switch form {
    case .screen: true
    case .lines, .json, .nothing: false
    }
  }

  /// The screen's question about single phones; nil without a screen.
  var asked: (@Sendable () -> PhoneQuestion?)? {
    guard case .screen(let screen) = form else { return nil }
    return { screen.question }
  }

  /// Repeats earlier lines on a full-screen display and in JSON.
  func open(on scenario: Scenario) {
    for line in [web?.line, metrics?.line].compactMap(\.self) {
      switch form {
      case .screen(let screen): screen.say(line)
      case .lines: console.line(line)
      case .json: console.printError(line)
      case .nothing: break
      }
    }
    metrics?.start { [unowned self] in show(.note($0)) }
    guard let shortened = scenario.shortened else { return }
    switch form {
    case .lines, .nothing: break
    case .screen, .json: show(.note(shortened.sentence))
    }
  }

  func show(_ progress: RunProgress) {
    var progress = progress
    // A warm start does not know which command runs it.
    if case .virtual(var snapshot) = progress {
      snapshot.source = source
      progress = .virtual(snapshot)
    }
    web?.show(progress)
    metrics?.show(progress)
    switch form {
    case .nothing: break
    case .lines(let printer): printer.show(progress)
    case .json(let lines): lines.show(progress)
    case .screen(let screen):
      if interruption.isRequested { screen.noteStopping() }
      switch progress {
      case .virtual(let snapshot): screen.show(snapshot)
      case .live(let interval):
        screen.show(interval.snapshot)
        if let phones = interval.phones { screen.show(phones) }
      case .phones: break
      case .note(let text): screen.say(text)
      }
    }
  }

  /// - Parameter record: The record of the ended run; nil after an error.
  /// - Returns: the standard error output during a full-screen display, for the run's log.
  func close(_ record: RunRecord? = nil) -> [String] {
    metrics?.close(record)
    switch form {
    case .nothing, .json: return []
    case .lines(let printer):
      printer.close()
      return []
    case .screen:
      return console.lowerScreen().split(separator: "\n").map { "stderr: \($0)" }
    }
  }

  func conclude(_ line: String) {
    // Standard output may have JSON only.
    if case .json = form { return console.printError(line) }
    console.line(line)
  }

  func conclude(_ record: some Encodable, as type: String) {
    if case .json(let lines) = form { lines.write(type, record) }
  }

  /// - Parameter report: The report's page; nil if it could not be written.
  func conclude(_ verdict: Verdict, _ reasons: [String], folder: RunFolder, report: URL? = nil) {
    web?.end(verdict, report: report)
    if case .json(let lines) = form { lines.show(verdict, reasons, folder: folder.url.path) }
  }
}

enum SnapshotForm: Sendable {
  case screen(LiveScreen)
  case lines
  case json(JSONLines)
  case nothing

  func show(_ snapshot: Snapshot, printLine: () -> Void) {
    switch self {
    case .nothing: break
    case .screen(let screen): screen.show(snapshot)
    case .json(let lines): lines.show(snapshot)
    case .lines: printLine()
    }
  }
}

enum ScreenOpening {
  /// Returns a screen, or nil if lines are printed instead.
  static func screen(
    _ first: Snapshot, _ interface: Interface, role: Scene.Role = .run, isASCII: Bool = false,
    _ console: Console,
    onKey: @escaping @Sendable (Unicode.Scalar) -> Bool = { _ in false },
    onQuit: @escaping @Sendable () -> Void
  ) -> LiveScreen? {
    var facts = console.surroundings.terminal()
    if isASCII { facts.codeset = "US-ASCII" }
    switch interface {
    case .plain, .json, .none: return nil
    case .auto: guard facts.obstacle == nil, !facts.isCI else { return nil }
    case .tui:
      if let obstacle = facts.obstacle {
        console.printError("No dashboard: \(obstacle). Printing lines instead.")
        return nil
      }
    }
    let screen = LiveScreen(first, role: role, facts: facts, onKey: onKey, onQuit: onQuit)
    guard let screen else {
      console.printError("No dashboard: unknown terminal '\(facts.term)'. Printing lines instead.")
      return nil
    }
    console.raise(screen)
    return screen
  }
}

/// `--ui json`: one object per line, each with a `type`.
final class JSONLines: Sendable {
  private struct Line<Body: Encodable>: Encodable {
    var type: String
    var body: Body

    private enum Key: String, CodingKey { case type }

    func encode(to encoder: any Encoder) throws {
      var box = encoder.container(keyedBy: Key.self)
      try box.encode(type, forKey: .type)
      try body.encode(to: encoder)
    }
  }
  private struct End: Encodable {
    var verdict: Verdict
    var reasons: [String]
    var folder: String
  }

  private let console: Console

  init(_ console: Console) { self.console = console }

  func show(_ progress: RunProgress) {
    switch progress {
    case .virtual(let snapshot): write("interval", snapshot)
    case .live(let interval): write("interval", interval.snapshot)
    case .phones: break
    case .note(let text): write("note", ["text": text])
    }
  }

  func show(_ snapshot: Snapshot) { write("interval", snapshot) }

  func show(_ verdict: Verdict, _ reasons: [String], folder: String) {
    write("end", End(verdict: verdict, reasons: reasons, folder: folder))
  }

  func write(_ type: String, _ body: some Encodable) {
    guard let text = try? Line(type: type, body: body).jsonText() else { return }
    console.line(text)
  }
}
