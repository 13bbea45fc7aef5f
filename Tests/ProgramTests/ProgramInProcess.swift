import Commands
import Foundation
import LiveSupport
import Report
import Synchronization

@testable import flotilla
@testable import flotilla_lab

/// Runs a command line in this process, without a terminal, a cache, pictures or signals.
///
/// - Parameter isStopped: called after each line on standard error; true is one Ctrl-C.
func flotilla(
  _ words: [String], environment: [String: String] = [:],
  stoppedWhen isStopped: @escaping @Sendable (_ errors: String) -> Bool = { _ in false }
) async -> Ended {
  await run(words, environment, isStopped) { console in
    console.finish(Flotilla.run(console), of: "flotilla")
  }
}

/// The same for words separated by spaces.
func flotilla(_ line: String) async -> Ended {
  await flotilla(line.split(separator: " ").map(String.init))
}

/// The same for flotilla-lab.
func flotillaLab(_ words: [String]) async -> Ended {
  await run(words, [:], { _ in false }) { Lab.root.end(words, $0) }
}

private func run(
  _ words: [String], _ environment: [String: String],
  _ isStopped: @escaping @Sendable (String) -> Bool,
  _ body: @escaping @Sendable (Console) -> ExitCode
) async -> Ended {
  let process = InnerProcess(isStopped)
  let surroundings = Surroundings(
    words: words, program: Program.url.path,
    environment: environment.merging(["PATH": "/nowhere"]) { $1 },
    output: process.take, errors: process.takeErrors, areErrorsTerminal: false,
    terminal: { TerminalFacts(isInputTerminal: false, isOutputTerminal: false, term: "") },
    terminalSize: { nil }, onSignal: process.listen)
  return await withCheckedContinuation { continuation in
    // Commands block their thread.
    let thread = Thread {
      continuation.resume(returning: process.ended(body(Console(surroundings))))
    }
    thread.stackSize = 8 << 20
    thread.start()
  }
}

private final class InnerProcess: Sendable {
  private struct State {
    var output = Data()
    var errors = ""
    var onInterrupt: (@Sendable () -> Void)?
    var isStopped = false
  }

  private let state = Mutex(State())
  private let isStopped: @Sendable (String) -> Bool

  init(_ isStopped: @escaping @Sendable (String) -> Bool) { self.isStopped = isStopped }

  @Sendable func take(_ bytes: UnsafeRawBufferPointer) -> Int32? {
    state.withLock { $0.output.append(contentsOf: bytes) }
    return nil
  }

  @Sendable func takeErrors(_ bytes: UnsafeRawBufferPointer) -> Int32? {
    let interrupt = state.withLock { state -> (@Sendable () -> Void)? in
      state.errors += String(decoding: bytes, as: UTF8.self)
      guard !state.isStopped, isStopped(state.errors) else { return nil }
      state.isStopped = true
      return state.onInterrupt
    }
    // Like a signal: on another thread, which may print.
    if let interrupt { DispatchQueue.global().async(execute: interrupt) }
    return nil
  }

  @Sendable func listen(_ number: Int32, _ receive: @escaping @Sendable () -> Void) -> Any {
    if number == SIGINT { state.withLock { $0.onInterrupt = receive } }
    return ()
  }

  func ended(_ code: ExitCode) -> Ended {
    state.withLock {
      $0.onInterrupt = nil
      return Ended(code: code.rawValue, output: $0.output, errorOutput: $0.errors)
    }
  }
}
