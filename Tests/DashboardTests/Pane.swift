import Foundation

/// A program in a terminal of its own: a pane of a private tmux server.
///
/// The program runs under a shell without job control, which leaves the terminal's modes alone:
/// what `stty` finds afterwards is what the program left.
final class Pane {
  let folder: URL
  private let socket = "flotilla-\(UUID().uuidString.prefix(8))"
  let tty: String

  static var isThere: Bool { (try? Shell.output("command -v tmux")) != nil }

  /// - Parameters:
  ///   - command: where `$OUT` stands for a folder of this pane.
  ///   - environment: such as "TERM=linux".
  init(_ command: String, environment: String, columns: Int, rows: Int) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let script = folder.appendingPathComponent("run.sh")
    // It begins when the modes were looked at; `exec` keeps the pid that was written.
    let text = """
      export OUT='\(folder.path)' SWIFT_BACKTRACE=enable=no LC_ALL=C.UTF-8 NO_COLOR= \(environment)
      trap : INT
      while ! [ -e "$OUT/go" ]; do sleep 0.05; done
      (sh -c 'echo "$PPID" > "$OUT/pid"'; exec \(command)); echo "left=$?"; sleep 600
      """
    try text.write(to: script, atomically: true, encoding: .utf8)
    try Shell.run(
      "tmux -L \(socket) -f /dev/null new-session -d -x \(columns) -y \(rows) sh \(script.path)")
    tty = try Shell.output("tmux -L \(socket) display -p '#{pane_tty}'")
  }

  deinit {
    try? Shell.run("tmux -L \(socket) kill-session")
    try? FileManager.default.removeItem(at: folder)
  }

  func start() throws { try Data().write(to: folder.appendingPathComponent("go")) }

  var screen: String { (try? Shell.output("tmux -L \(socket) capture-pane -p")) ?? "" }
  /// With the sequences that style it.
  var styled: String { (try? Shell.output("tmux -L \(socket) capture-pane -e -p")) ?? "" }

  func type(_ keys: String) throws { try Shell.run("tmux -L \(socket) send-keys \(keys)") }

  func resize(columns: Int, rows: Int) throws {
    try Shell.run("tmux -L \(socket) resize-window -x \(columns) -y \(rows)")
  }

  /// Not `kill-server`: the server has inherited a signal mask from Dispatch, and hears no signal.
  func hangUp() throws { try Shell.run("tmux -L \(socket) kill-session") }

  var pid: Int32? {
    let text = try? String(contentsOf: folder.appendingPathComponent("pid"), encoding: .utf8)
    return text.flatMap { Int32($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
  }

  func signal(_ number: Int32) { if let pid { kill(pid, number) } }

  /// `stty -a` without the size.
  var modes: String {
    let all = (try? Shell.output("stty -a -F \(tty)")) ?? "gone"
    return all.replacing(#/rows \d+; columns \d+; /#, with: "")
  }

  /// The cursor is shown, and the screen is the normal one.
  var isRestored: Bool {
    (try? Shell.output("tmux -L \(socket) display -p '#{alternate_on} #{cursor_flag}'")) == "0 1"
  }

  /// Waits until the screen holds `text`; false after half a minute.
  func shows(_ text: String, within seconds: Double = 30) -> Bool {
    waits(within: seconds) { screen.contains(text) }
  }

  func waits(within seconds: Double = 30, until condition: () -> Bool) -> Bool {
    let end = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < end {
      if condition() { return true }
      usleep(50_000)
    }
    return false
  }
}

enum Shell {
  struct Failed: Error { var command: String }

  static func run(_ command: String) throws { _ = try output(command) }

  /// Through popen: Foundation's Process waits until nobody holds a socket that it passes on, and
  /// the tmux server, which lives on, would.
  static func output(_ command: String) throws -> String {
    guard let stream = popen("(\(command)) </dev/null 2>/dev/null", "r") else {
      throw Failed(command: command)
    }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = fread(&piece, 1, piece.count, stream)
      guard count > 0 else { break }
      bytes += piece[..<count]
    }
    guard pclose(stream) == 0 else { throw Failed(command: command) }
    return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .newlines)
  }
}
