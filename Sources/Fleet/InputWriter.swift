internal import Foundation
package import SimulationCore
internal import Synchronization

/// Writes a live run's `InputLog` to its file while the run goes on, because a million phones
/// receive some thousand answers a second, too many to keep in memory until the end.
///
/// The writer appends whole records after a header that states none, and `finish` writes the
/// header's numbers. The log of a killed run is therefore recognised as cut off.
package final class InputWriter: Sendable {
  /// The path of the file.
  package let path: String
  private let seed: UInt64
  private let scenarioHash: UInt64
  private let state: Mutex<State>

  private struct State: ~Copyable {
    let descriptor: Int32
    var buffer: [UInt8] = []
    var records: UInt64 = 0
    /// The error after which nothing more is written.
    var failure: String?

    deinit { close(descriptor) }

    mutating func flush() {
      var written = 0
      while written < buffer.count, failure == nil {
        let count = buffer.withUnsafeBytes { bytes in
          write(descriptor, bytes.baseAddress! + written, bytes.count - written)
        }
        if count > 0 { written += count } else if errno != EINTR { note(errno) }
      }
      buffer.removeAll(keepingCapacity: true)
    }

    mutating func note(_ number: Int32) { failure = String(cString: strerror(number)) }
  }

  private static let bufferBytes = 65_536

  /// - Throws: the system's words for why the file cannot be made.
  package init(path: String, seed: UInt64, scenarioHash: UInt64) throws(InputWriterError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      throw InputWriterError(path: path, why: String(cString: strerror(errno)))
    }
    self.path = path
    self.seed = seed
    self.scenarioHash = scenarioHash
    state = Mutex(State(descriptor: descriptor))
    let header = header(end: .distantPast, records: .max)
    state.withLock { $0.buffer = header }
  }

  private func header(end: SimInstant, records: UInt64) -> [UInt8] {
    InputLog.header(seed: seed, scenarioHash: scenarioHash, end: end, records: records)
  }

  /// Appends inputs, in the order in which each phone consumed them; any thread may call it.
  func append(_ inputs: [ConsumedInput]) {
    guard !inputs.isEmpty else { return }
    state.withLock { state in
      for input in inputs { InputLog.append(input, to: &state.buffer) }
      state.records += UInt64(inputs.count)
      if state.buffer.count >= Self.bufferBytes { state.flush() }
    }
  }

  /// Completes the log of a run whose measured time ended at `end`.
  ///
  /// - Returns: why the log is not complete; nil if it is.
  package func finish(at end: SimInstant) -> String? {
    state.withLock { state in
      state.flush()
      let header = header(end: end, records: state.records)
      let count = header.withUnsafeBytes { pwrite(state.descriptor, $0.baseAddress!, $0.count, 0) }
      if count != header.count, state.failure == nil { state.note(errno) }
      return state.failure
    }
  }
}

/// Is thrown when the log of a run's inputs cannot be made.
package struct InputWriterError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The path at which no file can be made.
  package var path: String
  /// The system's reason.
  package var why: String

  /// Names the path, the reason and the option that chooses another folder.
  package var description: String {
    "\(path): the log of what the server says cannot be made (\(why)); choose another --out"
  }
}
