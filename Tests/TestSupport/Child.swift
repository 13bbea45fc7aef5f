package import Foundation

/// A process of a test's own, which has none of the test's descriptors: a child that outlives
/// others would hold the ends of their pipes.
package final class Child {
  package struct ChildError: Error, CustomStringConvertible {
    package let program: String
    package let code: Int32
    package var description: String {
      "\(program) cannot be started: \(String(cString: strerror(code)))"
    }
  }

  package let pid: Int32
  private var isOver = false

  /// Starts a program; what it says goes to the files, or nowhere.
  package init(
    _ program: String, _ arguments: [String], output: URL? = nil, errors: URL? = nil
  ) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    let flags = O_WRONLY | O_CREAT | O_TRUNC
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output?.path ?? "/dev/null", flags, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, errors?.path ?? "/dev/null", flags, 0o600)
    // To close what is not open is no error.
    for descriptor in Int32(3)..<1_024 { posix_spawn_file_actions_addclose(&actions, descriptor) }
    var words = ([program] + arguments).map { strdup($0) } + [nil]
    defer { words.forEach { free($0) } }
    // Threads of a test hold signals back, and a child would inherit that.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var pid: Int32 = 0
    let code = posix_spawn(&pid, program, &actions, &attributes, &words, environ)
    guard code == 0 else { throw ChildError(program: program, code: code) }
    self.pid = pid
  }

  deinit { end(SIGKILL) }

  /// Ends it with a signal, if it has not ended.
  package func end(_ number: Int32) {
    guard !isOver else { return }
    kill(pid, number)
    wait()
  }

  /// Waits for its end.
  package func wait() {
    guard !isOver else { return }
    isOver = true
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
  }
}
