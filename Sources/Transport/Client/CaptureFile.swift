internal import Foundation
internal import Synchronization
internal import Wire

/// The file of `run.capture`: upload messages with gRPC's prefix (PROTOCOL.md, section 12).
package final class CaptureFile: Sendable {
  /// The state, guarded by a mutex since one thread writes the file and another thread closes it.
  private let state: Mutex<State>

  private struct State: ~Copyable {
    var file: FileHandle?
    var buffer = ByteBuffer(capacity: 65_536)
    var messages = 0
    var failure: String?

    mutating func write() {
      guard let file, !buffer.isEmpty else { return }
      do {
        try file.write(contentsOf: Data(buffer.readable))
      } catch {
        failure = "\(error)"
        self.file = nil
      }
      buffer.removeAll()
    }
  }

  package init(path: String) throws(TransportError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      throw .cannotWrite(path: path, reason: String(cString: strerror(errno)))
    }
    state = Mutex(State(file: FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)))
  }

  func append(_ message: [UInt8]) {
    state.withLock { state in
      FrameEncoder.prefix(length: message.count, into: &state.buffer)
      state.buffer.append(message)
      state.messages += 1
      if state.buffer.count >= 65_536 { state.write() }
    }
  }

  package func close() -> (messages: Int, failure: String?) {
    state.withLock { state in
      state.write()
      try? state.file?.close()  // Nothing more is to be written; the data is in the system.
      state.file = nil
      return (state.messages, state.failure)
    }
  }
}
