package import Foundation
import Synchronization

/// A process of a test, which inherits none of the test's descriptors: a child that outlives others
/// would hold the ends of their pipes.
///
/// Not Foundation's `Process`, which treats a process as ended when a socket that it opens for each
/// is closed: another process started in that instant may inherit it, and the first then seems to
/// run as long as the second.
package final class Child: Sendable {
  package struct ChildError: Error, CustomStringConvertible {
    package let program: String
    package let code: Int32
    package var description: String {
      "\(program) cannot be started: \(String(cString: strerror(code)))"
    }
  }

  /// Working directory of a child.
  package struct Surroundings {
    package var input: URL?
    package var environment: [String: String]?
    package var folder: URL?
    /// Whether signals that the test's thread blocks are blocked in the child, too.
    package var inheritsSignals = false
    /// Whether it leads a process group, as a shell's job does.
    package var leadsGroup = false
    package init() {}
  }

  package let pid: Int32
  /// How it ended, from `waitpid`; nil: not waited for yet.
  private let status = Mutex<Int32?>(nil)

  /// Starts a program; its output goes to the files, or nowhere.
  package init(
    _ program: String, _ arguments: [String], output: URL? = nil, errors: URL? = nil,
    in surroundings: Surroundings = Surroundings()
  ) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    let flags = O_WRONLY | O_CREAT | O_TRUNC
    let input = surroundings.input?.path ?? "/dev/null"
    posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output?.path ?? "/dev/null", flags, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, errors?.path ?? "/dev/null", flags, 0o600)
    // Closing a closed descriptor is no error.
    for descriptor in Int32(3)..<1_024 { posix_spawn_file_actions_addclose(&actions, descriptor) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    // Threads of a test block signals, and a child would inherit that.
    let mask = surroundings.inheritsSignals ? 0 : POSIX_SPAWN_SETSIGMASK
    let group = surroundings.leadsGroup ? POSIX_SPAWN_SETPGROUP : 0
    posix_spawnattr_setflags(&attributes, Int16(mask | group))
    // Becomes the program, in that folder.
    let mover = surroundings.folder.map { ["/usr/bin/env", "-C", $0.path] } ?? []
    let command = mover + [program] + arguments
    var words = command.map { strdup($0) } + [nil]
    defer { words.forEach { free($0) } }
    let environment = surroundings.environment ?? ProcessInfo.processInfo.environment
    var settings = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { settings.forEach { free($0) } }
    var pid: Int32 = 0
    let code = Births.oneAtATime {
      posix_spawn(&pid, command[0], &actions, &attributes, &words, &settings)
    }
    guard code == 0 else { throw ChildError(program: program, code: code) }
    self.pid = pid
  }

  deinit { end(SIGKILL) }

  /// How it ended, as a shell gives it: 128 + the signal for one that a signal ended; nil while it
  /// runs.
  package var code: Int32? {
    status.withLock { status in
      if status == nil { Self.wait(for: pid, WNOHANG, &status) }
      return status.map { $0 & 0x7F == 0 ? ($0 >> 8) & 0xFF : 128 + ($0 & 0x7F) }
    }
  }

  /// Ends it with a signal, if it has not ended.
  package func end(_ number: Int32) {
    guard code == nil else { return }
    kill(pid, number)
    wait()
  }

  /// Waits for its end.
  package func wait() {
    status.withLock { if $0 == nil { Self.wait(for: pid, 0, &$0) } }
  }

  private static func wait(for pid: Int32, _ options: Int32, _ status: inout Int32?) {
    var word: Int32 = 0
    var found: Int32
    repeat { found = waitpid(pid, &word, options) } while found < 0 && errno == EINTR
    // A process that cannot be waited for any more has ended.
    if found != 0 { status = found < 0 ? 0 : word }
  }
}

/// Starts one process at a time: files written meanwhile, under the same lock, are open in no
/// child.
package enum Births {
  private static let turn = Mutex(())

  package static func oneAtATime<Value>(_ start: () throws -> sending Value) rethrows -> Value {
    try turn.withLock { _ in try start() }
  }
}
