internal import Foundation

/// A program in a pane of a private tmux server.
///
/// The program runs under a shell without job control, which leaves the terminal's modes alone:
/// `stty` shows the modes that the program left.
package final class Pane: Sendable {
  package let folder: TemporaryFolder

  /// Opens a pane, and closes it at the end.
  ///
  /// - Parameters:
  ///   - command: `$OUT` is a folder of this pane.
  ///   - environment: such as "TERM=linux".
  package static func hold(
    _ command: String, environment: String, columns: Int, rows: Int,
    _ body: (Pane) async throws -> Void
  ) async throws {
    let pane = try Pane()
    do {
      try await pane.open(command, environment: environment, columns: columns, rows: rows)
      try await body(pane)
    } catch {
      await pane.close()
      throw error
    }
    await pane.close()
  }

  private init() throws { folder = try TemporaryFolder() }

  /// Its socket is deleted with the folder.
  private var tmux: String { "tmux -S '\(folder["tmux"].path)'" }

  private func open(_ command: String, environment: String, columns: Int, rows: Int) async throws {
    let script = folder["run.sh"]
    // It begins when the modes were read; `exec` keeps the pid that was written.
    let text = """
      cd '\(Program.root.path)'
      export OUT='\(folder.url.path)' SWIFT_BACKTRACE=enable=no LC_ALL=C.UTF-8 NO_COLOR= \
      \(environment)
      trap : INT
      : > "$OUT/ready"
      while ! [ -e "$OUT/go" ]; do sleep 0.05; done
      (sh -c 'echo "$PPID" > "$OUT/pid"'; exec \(command)); echo "left=$?"; sleep 600
      """
    try text.write(to: script, atomically: true, encoding: .utf8)
    try await Shell.run(
      "\(tmux) -f /dev/null new-session -d -x \(columns) -y \(rows) sh '\(script.path)'")
    // tmux sets its own modes in the child that becomes the shell.
    try await eventually("the shell runs") {
      FileManager.default.fileExists(atPath: folder["ready"].path)
    }
  }

  /// The program first, while its shell can report its end.
  private func close() async {
    if let pid, await !screen.contains("left=") {
      kill(pid, SIGKILL)
      try? await eventually("the program is gone") { try await !ProcessTable.isAlive(pid) }
    }
    try? await hangUp()
    try? await eventually("tmux is gone") {
      do {
        try await Shell.run("\(tmux) has-session")
        return false
      } catch { return true }
    }
  }

  package func start() throws { try Data().write(to: folder["go"]) }

  // MARK: User actions

  package func type(_ keys: String) async throws {
    try await Shell.run("\(tmux) send-keys \(keys)")
  }

  package func resize(columns: Int, rows: Int) async throws {
    try await Shell.run("\(tmux) resize-window -x \(columns) -y \(rows)")
  }

  /// Not `kill-server`: the server has inherited a signal mask from Dispatch, and receives no
  /// signal.
  package func hangUp() async throws { try await Shell.run("\(tmux) kill-session") }

  package var pid: Int32? {
    let text = try? String(contentsOf: folder["pid"], encoding: .utf8)
    return text.flatMap { Int32($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
  }

  package func signal(_ number: Int32) { if let pid { kill(pid, number) } }

  /// As a shell does when it resets the terminal.
  package func resetModes() async throws { try await Shell.run("stty sane -F \(try await tty)") }

  // MARK: What there is to see

  private var tty: String {
    get async throws { try await Shell.output("\(tmux) display -p '#{pane_tty}'") }
  }

  package var screen: String { get async { await look("capture-pane -p") } }
  /// With the sequences that style it.
  package var styled: String { get async { await look("capture-pane -e -p") } }

  private func look(_ words: String) async -> String {
    (try? await Shell.output("\(tmux) \(words)")) ?? ""
  }

  /// `stty -a` without the size.
  package var modes: String {
    get async throws {
      try await Shell.output("stty -a -F \(try await tty)")
        .replacing(#/rows \d+; columns \d+; /#, with: "")
    }
  }

  /// The cursor is shown, and the screen is the normal one.
  package var isRestored: Bool {
    get async { await look("display -p '#{alternate_on} #{cursor_flag}'") == "0 1" }
  }

  // MARK: Waiting

  /// A frame arrives in pieces: wait for the screen's content, never read it just once.
  package func shows(_ texts: String...) async throws {
    try await waits("the screen shows \(texts)") {
      let screen = await screen
      return texts.allSatisfy(screen.contains)
    }
  }

  package func shows(_ text: String, _ isThere: Bool) async throws {
    try await waits("the screen shows \(text): \(isThere)") {
      await screen.contains(text) == isThere
    }
  }

  package func waits(_ what: String, until condition: () async throws -> Bool) async throws {
    try await eventually(what, every: .milliseconds(100), soFar: await screen, condition)
  }
}
