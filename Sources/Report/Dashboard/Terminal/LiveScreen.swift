internal import CNcurses
package import Figures
internal import Foundation
internal import Synchronization

/// The dashboard of a live run: takes snapshots from any thread and draws on its own thread. The
/// screen holds no lock while drawing, so that the run never waits for the terminal.
package final class LiveScreen: Sendable {
  private struct Content {
    var scene: Scene { didSet { version += 1 } }
    var frozen: Scene? { didSet { version += 1 } }
    /// The version of the content, raised by each change so that nothing is drawn twice.
    var version = 0
    var isClosing = false
    var unread = ""
  }

  private let content: Mutex<Content>
  /// Called with each key before the screen handles it; returns whether the key is done with.
  private let onKey: @Sendable (Unicode.Scalar) -> Bool
  private let ended = DispatchSemaphore(value: 0)

  /// Returns nil if curses cannot use the terminal. `onKey` returns whether it handled the key. A
  /// lost terminal also calls `onQuit`. `onKey` and `onQuit` run on the screen's thread.
  package init?(
    _ first: Snapshot, role: Scene.Role = .run, facts: TerminalFacts,
    onKey: @escaping @Sendable (Unicode.Scalar) -> Bool = { _ in false },
    onQuit: @escaping @Sendable () -> Void
  ) {
    var scene = Scene(first)
    scene.role = role
    content = Mutex(Content(scene: scene))
    self.onKey = onKey
    guard let guardian = CrashGuard() else { return nil }
    guard let screen = Screen(wantsColors: !facts.refusesColors, isASCII: facts.needsASCII) else {
      guardian.disarm()
      return nil
    }
    guardian.arm()
    let hands = Hands(screen: screen, guardian: guardian, onQuit: onQuit)
    Thread.detachNewThread { [self] in
      Thread.current.name = "screen"
      var loop = ScreenLoop(hands: hands.take(), owner: self)
      loop.run()
      ended.signal()
    }
  }

  /// Shows a newer snapshot and adds it to the curves. `show` may be called on any thread.
  package func show(_ snapshot: Snapshot) { content.withLock { $0.scene.take(snapshot) } }
  package func show(_ outlook: Outlook) { change { $0.snapshot.outlook = outlook } }
  package func show(_ scene: Scene) {
    content.withLock { content in
      content.scene.snapshot = scene.snapshot
      content.scene.history = scene.history
      content.scene.role = scene.role
    }
  }
  /// Appends lines to the log. `say` may be called on any thread.
  package func say(_ text: String) { content.withLock { $0.scene.say(text) } }

  package func show(_ answer: PhoneAnswer) {
    content.withLock { content in
      content.scene.navigation.take(answer)
      // Shows the first answer to a question of the user's keys, even if the screen is frozen.
      if content.frozen?.navigation.answer == nil { Self.thaw(&content) }
    }
  }

  /// The question of the open view about the run's phones, for any thread.
  package var question: PhoneQuestion? {
    content.withLock { $0.scene.whyNoPhones == nil ? $0.scene.navigation.question : nil }
  }

  package func noteStopping() {
    content.withLock {
      $0.scene.isStopping = true
      $0.frozen?.isStopping = true
    }
  }

  /// Restores the terminal, and returns what was written to standard error meanwhile.
  package func close() -> String {
    content.withLock { $0.isClosing = true }
    // Waits at most 2 s: a terminal that takes no bytes must not keep back the run's report.
    if ended.wait(timeout: .now() + 2) == .success {
      // Signals again, since another caller of `close` may wait.
      ended.signal()
    }
    return content.withLock { $0.unread }
  }

  // MARK: The screen's thread

  var isClosing: Bool { content.withLock { $0.isClosing } }
  var version: Int { content.withLock { $0.version } }
  var scene: Scene { content.withLock { $0.frozen ?? $0.scene } }
  var framesPerSecond: Double { content.withLock { $0.scene.framesPerSecond } }

  func keep(errors text: String) {
    guard !text.isEmpty else { return }
    content.withLock {
      $0.unread += text
      $0.scene.say(text)
    }
  }

  func takes(_ key: Unicode.Scalar) -> Bool { onKey(key) }

  func change(_ body: (inout Scene) -> Void) {
    content.withLock { content in
      body(&content.scene)
      if content.frozen != nil { body(&content.frozen!) }
    }
  }

  /// Handles a key if a view uses it, or else returns false.
  func navigate(_ key: Unicode.Scalar) -> Bool {
    content.withLock { content in
      let choice = content.scene.choice
      let isKnown = content.scene.navigation.handle(key, choice)
      if isKnown { Self.thaw(&content) }
      return isKnown
    }
  }

  /// Copies the open views to the frozen scene, so that they show.
  private static func thaw(_ content: inout Content) {
    let navigation = content.scene.navigation
    content.frozen?.navigation = navigation
  }

  func toggleFreeze() {
    content.withLock { content in
      if content.frozen == nil {
        content.frozen = content.scene
        content.frozen?.isFrozen = true
      } else {
        content.frozen = nil
      }
    }
  }
}

/// Passes the screen to its thread. `@unchecked Sendable`: the thread that creates the value only
/// starts the thread that takes the screen.
private final class Hands: @unchecked Sendable {
  private let screen: Screen
  private let guardian: CrashGuard
  private let onQuit: @Sendable () -> Void

  init(screen: Screen, guardian: CrashGuard, onQuit: @escaping @Sendable () -> Void) {
    self.screen = screen
    self.guardian = guardian
    self.onQuit = onQuit
  }

  func take() -> (Screen, CrashGuard, @Sendable () -> Void) { (screen, guardian, onQuit) }
}

private struct ScreenLoop {
  private enum Presence {
    case shown
    /// The user suspended the program, until SIGCONT.
    case suspended
    /// The program runs while another job has the terminal.
    case background
    case gone
  }

  private let screen: Screen
  private let guardian: CrashGuard
  private let onQuit: @Sendable () -> Void
  private let owner: LiveScreen
  private var presence = Presence.shown
  /// The version that the screen shows; nil to draw all again.
  private var drawn: Int?

  init(hands: (Screen, CrashGuard, @Sendable () -> Void), owner: LiveScreen) {
    (screen, guardian, onQuit) = hands
    self.owner = owner
  }

  mutating func run() {
    while !owner.isClosing {
      owner.keep(errors: guardian.takeErrors())
      if presence == .background, flotilla_is_foreground() != 0 { enter() }
      if presence == .shown { draw() }
      wait()
      for number in guardian.takeSignals() { handle(signal: number) }
      if presence == .shown { while let key = screen.key() { handle(key: key) } }
    }
    if presence == .shown { screen.close() }
    guardian.pause(true)
    owner.keep(errors: guardian.takeErrors())
    guardian.disarm()
  }

  private mutating func draw() {
    let version = owner.version
    guard version != drawn else { return }
    drawn = version
    screen.draw(Layout.frame(owner.scene, screen.size))
  }

  /// Waits for the next frame, a key or a signal, and notices a close within a tenth of a second.
  private mutating func wait() {
    let rate = owner.framesPerSecond
    let until = DispatchTime.now().uptimeNanoseconds + UInt64(1e9 / rate)
    while !owner.isClosing {
      let now = DispatchTime.now().uptimeNanoseconds
      guard now < until else { return }
      let left = Int32(clamping: (until - now) / 1_000_000 + 1)
      var files = [
        pollfd(fd: guardian.signals, events: Int16(POLLIN), revents: 0),
        // A negative descriptor is ignored by `poll`.
        pollfd(fd: presence == .shown ? STDIN_FILENO : -1, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&files, 2, min(left, 100)) > 0 else { continue }
      if files[1].revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0 { hangUp() }
      return
    }
  }

  private mutating func handle(signal number: Int32) {
    switch number {
    case SIGWINCH: if presence == .shown { fit() }
    case SIGTSTP: suspend()
    case SIGCONT:
      // Leaves the screen, since after SIGSTOP the shell has taken the terminal without notice.
      if presence == .shown { screen.leave() }
      if presence != .gone { presence = .background }
    case SIGHUP: hangUp()
    default: break
    }
  }

  private mutating func suspend() {
    guard presence == .shown || presence == .background else { return }
    if presence == .shown { screen.leave() }
    guardian.pause(true)
    presence = .suspended
    kill(getpid(), SIGSTOP)
  }

  private mutating func enter() {
    guardian.pause(false)
    presence = .shown
    fit()
  }

  private mutating func fit() {
    screen.fit()
    drawn = nil
  }

  private mutating func hangUp() {
    guard presence != .gone else { return }
    presence = .gone
    guardian.pause(true)
    onQuit()
  }

  private mutating func handle(key: Unicode.Scalar) {
    if owner.scene.showsHelp, key != "q" {
      owner.change { $0.showsHelp = false }
      return
    }
    if owner.takes(key) || owner.navigate(key) { return }
    switch key {
    case "q":
      if owner.scene.role == .run { owner.noteStopping() }
      onQuit()
    case "?", "h": owner.change { $0.showsHelp = true }
    case " ", "f": owner.toggleFreeze()
    case "+", "=":
      owner.change { $0.framesPerSecond = RefreshRate.step(from: $0.framesPerSecond, by: 1) }
    case "-":
      owner.change { $0.framesPerSecond = RefreshRate.step(from: $0.framesPerSecond, by: -1) }
    case "\u{0C}": fit()
    default: break
    }
  }
}
