package import SimulationCore
package import Wire

/// A call at a server, which answers itself, now or later.
///
/// A value of 48 bytes that is copied without touching a reference count, since a collector keeps
/// one for every batch that waits for its commit. It is answered on the loop's thread. A call that
/// has ended, or whose connection has, takes answers and does nothing with them.
package struct ServerCall: Sendable, BitwiseCopyable {
  /// The server that the call came to. Not retained: a server outlives the calls of its handler.
  private let server: Unmanaged<RPCServer>
  let slot: UInt32
  let generation: UInt32
  let stream: UInt32
  /// Is the method that was called.
  package let method: CollectorMethod
  /// When the last byte of the request had been read.
  package let receivedAt: WallInstant
  /// When the client stops to wait; nil: never. Work for a call beyond it is wasted.
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

  /// The connection that the call came on, if it is still open.
  private var connection: ServerConnection? {
    server._withUnsafeGuaranteedRef { $0.connection(slot, generation: generation) }
  }

  /// Answers with OK and the one message of a unary call.
  package func reply(_ message: UnsafeRawBufferPointer) {
    connection?.reply(stream, CallStatus(.ok), message: message)
  }

  /// Answers with OK and the one message of a unary call.
  package func reply(_ message: [UInt8]) { message.withUnsafeBytes { reply($0) } }

  /// Ends the call with a status other than OK.
  package func fail(_ status: CallStatus) {
    connection?.reply(stream, status, message: UnsafeRawBufferPointer(start: nil, count: 0))
  }

  /// Sends one message of a server stream.
  package func send(_ message: UnsafeRawBufferPointer) -> StreamSend {
    connection?.send(stream, message: message) ?? .gone
  }

  /// Ends a server stream with OK.
  package func finish() {
    connection?.reply(
      stream, CallStatus(.ok), message: UnsafeRawBufferPointer(start: nil, count: 0))
  }
}

extension ServerCall: Hashable {
  /// A connection's generation is its server's, so these three name a call of one server.
  package static func == (a: Self, b: Self) -> Bool {
    a.stream == b.stream && a.generation == b.generation && a.slot == b.slot
  }

  /// Feeds the hasher with what `==` compares.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(stream)
    hasher.combine(generation)
    hasher.combine(slot)
  }
}

/// What became of a message of a server stream.
package enum StreamSend: Equatable, Sendable {
  case queued
  /// The reader is too slow; nothing was queued.
  case full
  /// The call is over.
  case gone
}
