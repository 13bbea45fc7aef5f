internal import Core
internal import Commands
internal import Core
internal import Figures
internal import Foundation
internal import Report
internal import Run
internal import Synchronization
internal import Transport

enum WatchCommand {
  static var command: Command { WatchOptions.command(run) }

  private static func run(_ options: WatchOptions, _ console: Console) throws -> ExitCode {
    let path = options.target
    if !FileManager.default.fileExists(atPath: path), let address = Endpoint(path) {
      let token = try options.tokenFile.map(CollectCommand.token)
      let collector = RemoteCollector(
        address, token: token,
        tls: try options.tls.client(of: "flotilla watch"))
      defer { collector.close() }
      if options.isOnce { return try printOnce(collector, options, console) }
      let web = try LiveWeb.open(
        options.web, LivePage(Snapshot(source: .collect, name: path, detail: "collector")), console)
      return try CollectorWatcher(collector, options, web: web, console).run()
    }
    let replay = try replay(path)
    if options.isOnce {
      let player = ReplayPlayer(replay, speed: options.speed)
      print(try player.last(), options, console)
      return .pass
    }
    let web = try ReplayWeb.open(options, replay, console)
    return try ReplayWatcher(replay, options, web: web, console).run()
  }

  private static func replay(_ path: String) throws -> RunReplay {
    guard FileManager.default.fileExists(atPath: path) else {
      throw CommandError(
        exit: .badInput,
        message: """
          \(path): neither a run nor HOST:PORT. Give the folder of a run, or the address of a \
          collector, such as 127.0.0.1:7070.
          """)
    }
    let replay = try RunReplay.read(from: URL(fileURLWithPath: path))
    guard replay.rows > 0 else {
      throw CommandError(
        exit: .badInput,
        message: """
          \(path): timeline.csv is missing or empty, so the run cannot be played; use \
          'flotilla report'.
          """)
    }
    return replay
  }

  /// Polls twice, a second apart, to get rates.
  private static func printOnce(
    _ collector: RemoteCollector, _ options: WatchOptions, _ console: Console
  ) throws(RemoteCollectorError) -> ExitCode {
    var scene = Scene(try collector.look())
    Waiter.shared.pause(.seconds(1))
    scene.take(try collector.look())
    print(scene, options, console)
    return .pass
  }

  private static func print(_ scene: Scene, _ options: WatchOptions, _ console: Console) {
    if options.interface == .json {
      JSONLines(console).show(scene.snapshot)
      return
    }
    let size = options.size ?? console.surroundings.terminalSize() ?? Size(columns: 80, rows: 24)
    let isASCII = options.isASCII || console.surroundings.terminal().needsASCII
    console.line(Layout.page(scene, size, isASCII: isASCII))
  }
}

final class WatchDisplay: Sendable {
  private let form: SnapshotForm
  private let console: Console
  private let web: LiveWeb?
  private let line: @Sendable (Snapshot) -> String
  private let door: WakeSignal
  private let interruption: Interruption

  /// - Parameter line: returns the line of a second, for a pipe.
  init(
    _ first: Snapshot, role: Scene.Role, _ options: WatchOptions, _ console: Console,
    web: LiveWeb? = nil, line: @escaping @Sendable (Snapshot) -> String,
    onKey: @escaping @Sendable (Unicode.Scalar) -> Bool = { _ in false }
  ) {
    self.console = console
    self.line = line
    self.web = web
    let door = WakeSignal()
    self.door = door
    switch options.interface {
    case .json: form = .json(JSONLines(console))
    case .none: form = .nothing
    case .auto, .tui, .plain:
      let screen = ScreenOpening.screen(
        first, options.interface, role: role, isASCII: options.isASCII, console,
        onKey: { key in
          guard onKey(key) else { return false }
          door.ring()
          return true
        }, onQuit: { door.leave() })
      form = screen.map(SnapshotForm.screen) ?? .lines
    }
    interruption = Interruption(console, announce: { _ in door.leave() })
    guard let web else { return }
    announce(web)
    web.show(first)
  }

  func announce(_ web: LiveWeb) {
    switch form {
    case .screen(let screen): screen.say(web.line)
    case .lines: console.line(web.line)
    case .json, .nothing: console.printError(web.line)
    }
  }

  var isDone: Bool { door.isLeft }

  var isScreen: Bool {
    if case .screen = form { return true }
    return false
  }

  func show(_ scene: Scene) {
    if case .screen(let screen) = form { return screen.show(scene) }
    show(scene.snapshot)
  }

  func show(_ snapshot: Snapshot) {
    web?.show(snapshot)
    form.show(snapshot) { console.line(line(snapshot)) }
  }

  func show(_ outlook: Outlook) {
    web?.show(outlook)
    guard case .screen(let screen) = form else {
      return console.printError("\(outlook.standing.rawValue): \(outlook.reason)")
    }
    screen.show(outlook)
  }

  func say(_ text: String) {
    if case .screen(let screen) = form { screen.say(text) }
  }

  func close() {
    console.lowerScreen()
    web?.end("The watcher has ended.")
    withExtendedLifetime(interruption) {}
  }

  func wait(seconds: Double) { door.wait(seconds: seconds) }
}

private final class WakeSignal: Sendable {
  private let bell = DispatchSemaphore(value: 0)
  private let hasLeft = Mutex(false)

  var isLeft: Bool { hasLeft.withLock { $0 } }

  func ring() { bell.signal() }

  func leave() {
    hasLeft.withLock { $0 = true }
    bell.signal()
  }

  func wait(seconds: Double) { _ = bell.wait(timeout: .now() + seconds) }
}
