internal import Foundation
package import Report

/// The environment of a program: of the process, or of a test.
package struct Surroundings: Sendable {
  /// Takes bytes; returns the error, nil for success.
  package typealias Sink = @Sendable (UnsafeRawBufferPointer) -> Int32?

  /// The command line after the program's name.
  package var words: [String]
  /// The path of the executable, used to start collectors and to find the documentation.
  package var program: String
  package var environment: [String: String]
  package var output: Sink
  package var errors: Sink
  package var areErrorsTerminal: Bool
  package var terminal: @Sendable () -> TerminalFacts
  package var terminalSize: @Sendable () -> Size?
  /// Calls a closure at each signal with a number, while the returned object exists.
  package var onSignal: @Sendable (_ number: Int32, @escaping @Sendable () -> Void) -> Any

  package init(
    words: [String], program: String, environment: [String: String], output: @escaping Sink,
    errors: @escaping Sink, areErrorsTerminal: Bool,
    terminal: @escaping @Sendable () -> TerminalFacts,
    terminalSize: @escaping @Sendable () -> Size?,
    onSignal: @escaping @Sendable (_ number: Int32, @escaping @Sendable () -> Void) -> Any
  ) {
    self.words = words
    self.program = program
    self.environment = environment
    self.output = output
    self.errors = errors
    self.areErrorsTerminal = areErrorsTerminal
    self.terminal = terminal
    self.terminalSize = terminalSize
    self.onSignal = onSignal
  }

  /// The environment of this process, which ignores SIGPIPE from then on.
  package static func ofProcess() -> Surroundings {
    signal(SIGPIPE, SIG_IGN)
    // Otherwise the first opened file gets the descriptor that the caller closed, and output goes
    // into that file.
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
    where fcntl(descriptor, F_GETFD) < 0 { _ = open("/dev/null", O_RDWR) }
    return Surroundings(
      words: Array(CommandLine.arguments.dropFirst()),
      program: Bundle.main.executablePath ?? CommandLine.arguments[0],
      environment: ProcessInfo.processInfo.environment,
      output: { write($0, to: STDOUT_FILENO) }, errors: { write($0, to: STDERR_FILENO) },
      areErrorsTerminal: isatty(STDERR_FILENO) == 1, terminal: { .current() },
      terminalSize: { TerminalFacts.size }, onSignal: watch)
  }

  /// Calls the closure on a Dispatch queue, even if other threads are blocked.
  @Sendable private static func watch(
    _ number: Int32, _ receive: @escaping @Sendable () -> Void
  ) -> Any {
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(
      signal: number, queue: .global(qos: .userInitiated))
    source.setEventHandler(handler: receive)
    // Otherwise a signal between ignoring and watching would be lost.
    let isWatched = DispatchSemaphore(value: 0)
    source.setRegistrationHandler { isWatched.signal() }
    source.resume()
    isWatched.wait()
    return source
  }

  /// Returns the error; nil for success.
  private static func write(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32
  ) -> Int32? {
    var rest = bytes
    while !rest.isEmpty {
      let count = Foundation.write(descriptor, rest.baseAddress, rest.count)
      if count >= 0 {
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        continue
      }
      switch errno {
      case EINTR: break
      case EAGAIN:
        // Another program with the same terminal or pipe may have made it non-blocking.
        var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&wait, 1, -1)
      case let reason: return reason
      }
    }
    return nil
  }
}
