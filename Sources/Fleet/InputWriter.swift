package import Core
internal import Foundation
internal import Synchronization

/// Writes a live run's `InputLog` during the run: a million phones receive some thousand answers a
/// second, too many to keep in memory until the end.
package final class InputWriter: Sendable {
  package let path: String
  private let state: Mutex<State>

  private struct State: ~Copyable {
    let descriptor: Int32
    var buffer: RecordWriter
    var records = 0
    var failure: String?

    deinit { close(descriptor) }

    mutating func flush() {
      failure = failure ?? buffer.flush(to: descriptor)
      buffer.removeAll()
    }
  }

  private static let bufferBytes = 65_536

  package init(path: String, seed: UInt64, scenarioHash: UInt64) throws(InputWriterError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      throw InputWriterError(path: path, why: String(cString: strerror(errno)))
    }
    self.path = path
    state = Mutex(
      State(
        descriptor: descriptor, buffer: InputLog.begun(seed: seed, scenarioHash: scenarioHash)))
  }

  /// Appends inputs from any thread, in the order in which each phone consumed them.
  func append(_ inputs: [ConsumedInput]) {
    guard !inputs.isEmpty else { return }
    state.withLock { state in
      for input in inputs { InputLog.append(input, to: &state.buffer) }
      state.records += inputs.count
      if state.buffer.bytes.count >= Self.bufferBytes { state.flush() }
    }
  }

  /// Completes the log of a run; returns why the log is incomplete, or nil if it is complete.
  package func finish(at end: SimInstant) -> String? {
    state.withLock { state in
      InputLog.finish(&state.buffer, end: end, inputs: state.records)
      state.flush()
      return state.failure
    }
  }
}

package struct InputWriterError: Error, Equatable, Sendable, CustomStringConvertible {
  package var path: String
  package var why: String

  package var description: String {
    "\(path): cannot create the input log (\(why)); choose another --out"
  }
}
