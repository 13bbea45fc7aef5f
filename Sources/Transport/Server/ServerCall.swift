package import Core
package import Wire

/// A call at a server, to be answered on the loop's thread, now or later. Answers to an ended call
/// or connection are ignored. The call is a 48-byte value without reference counts.
package struct ServerCall: Sendable, BitwiseCopyable {
  /// The server, which is not retained, since a server outlives the calls of its handler.
  private let server: Unmanaged<RPCServer>
  let slot: UInt32
  let generation: UInt32
  let stream: UInt32
  package let method: CollectorMethod
  /// The instant at which the last byte of the request was read.
  package let receivedAt: WallInstant
  /// The instant at which the client stops waiting, or nil if the client waits forever.
  package let deadline: WallInstant?

  init(
    _ server: RPCServer, slot: UInt32, generation: UInt32, stream: UInt32,
    method: CollectorMethod, receivedAt: WallInstant, deadline: WallInstant?
  ) {
    self.server = .passUnretained(server)
    self.slot = slot
    self.generation = generation
    self.stream = stream
    self.method = method
    self.receivedAt = receivedAt
    self.deadline = deadline
  }

  private var connection: ServerConnection? {
    server._withUnsafeGuaranteedRef { $0.connection(slot, generation: generation) }
  }

  package func reply(_ message: UnsafeRawBufferPointer) {
    connection?.reply(stream, CallStatus(.ok), message: message)
  }

  package func reply(_ message: [UInt8]) { message.withUnsafeBytes { reply($0) } }

  package func fail(_ status: CallStatus) {
    connection?.reply(stream, status, message: UnsafeRawBufferPointer(start: nil, count: 0))
  }

  package func send(_ message: UnsafeRawBufferPointer) -> StreamSend {
    connection?.send(stream, message: message) ?? .gone
  }

  package func finish() {
    connection?.reply(
      stream, CallStatus(.ok), message: UnsafeRawBufferPointer(start: nil, count: 0))
  }
}

extension ServerCall: Hashable {
  /// Compares stream, generation and slot. Generations are unique only within one server.
  package static func == (a: Self, b: Self) -> Bool {
    a.stream == b.stream && a.generation == b.generation && a.slot == b.slot
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(stream)
    hasher.combine(generation)
    hasher.combine(slot)
  }
}

package enum StreamSend: Equatable, Sendable {
  case queued
  /// The client reads too slowly, so nothing was queued.
  case full
  case gone
}
