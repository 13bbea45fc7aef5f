internal import Foundation
package import Report

/// The surroundings of a program: those of the process, or those that a test sets.
package struct Surroundings: Sendable {
  /// A function that writes bytes and returns an errno value, or nil for success.
  package typealias Sink = @Sendable (UnsafeRawBufferPointer) -> Int32?

  /// The words of the command line after the program's name.
  package var words: [String]
  /// The path of the executable, used to start collectors and to find the documentation.
  package var program: String
  package var environment: [String: String]
  package var output: Sink
  package var errors: Sink
  package var areErrorsTerminal: Bool
  package var terminal: @Sendable () -> TerminalFacts
  package var terminalSize: @Sendable () -> Size?
  /// Calls a closure at each signal `number`, while the returned object exists.
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

  /// Returns the surroundings of this process. From then on the process ignores SIGPIPE.
  package static func ofProcess() -> Surroundings {
    signal(SIGPIPE, SIG_IGN)
    // If the caller has closed a standard descriptor, the first file opened would get its number,
    // and output would go into that file.
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

  /// Calls `receive` at each signal on a Dispatch queue, even if other threads are blocked.
  @Sendable private static func watch(
    _ number: Int32, _ receive: @escaping @Sendable () -> Void
  ) -> Any {
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(
      signal: number, queue: .global(qos: .userInitiated))
    source.setEventHandler(handler: receive)
    // Without this wait a signal between ignoring and watching would be lost.
    let isWatched = DispatchSemaphore(value: 0)
    source.setRegistrationHandler { isWatched.signal() }
    source.resume()
    isWatched.wait()
    return source
  }

  /// Writes all bytes. Returns an errno value, or nil for success.
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
        // Another program may have made the shared terminal or pipe non-blocking.
        var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&wait, 1, -1)
      case let reason: return reason
      }
    }
    return nil
  }
}
