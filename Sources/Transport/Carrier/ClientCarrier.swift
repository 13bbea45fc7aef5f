internal import SimulationCore
internal import Wire

/// A call that a client has opened, by the connection that carries it and its number there.
///
/// Numbers begin at 1 and grow by one, whatever a carrier numbers its streams by.
struct ClientCall: Hashable, Sendable, BitwiseCopyable {
  /// The owner's name for the connection.
  let connection: Int
  let number: UInt32
}

/// Carries the calls of one connection of a client; for the loop's thread only.
protocol ClientCarrier: AnyObject {
  var isConnected: Bool { get }
  /// Whether new calls may be opened, now or when flow control allows it.
  var isUsable: Bool { get }
  /// Whether one more call may go out now.
  var maySend: Bool { get }
  var bytesRead: Int { get }
  var bytesWritten: Int { get }

  /// Opens a call with its one message. The bytes go out at `flush` or at the end of the turn.
  ///
  /// - Parameters:
  ///   - timeout: what the server is told of the deadline; the client keeps it itself.
  ///   - previousAttempts: how often the same was sent before, which a server of gRPC is told.
  func call(
    _ method: CollectorMethod, _ message: [UInt8], timeout: WallDuration?, previousAttempts: Int
  ) -> ClientCall
  /// Gives a call up; nothing more is heard of it.
  func cancel(_ call: ClientCall)
  /// Sends what is written without waiting for the end of the turn.
  func flush()
  /// Closes the connection; its owner hears nothing more.
  ///
  /// - Parameter reset: end with RST. A load generator's ports would else stay in TIME_WAIT for a
  ///   minute each, and 28,000 of them would be the end of `per-upload` at 470 uploads/s.
  func close(reset: Bool)
}

extension ClientCarrier {
  /// Opens a call that was not sent before.
  func call(
    _ method: CollectorMethod, _ message: [UInt8], timeout: WallDuration?
  ) -> ClientCall {
    call(method, message, timeout: timeout, previousAttempts: 0)
  }
}

/// Who opens calls on carriers; always called on the loop's thread. Connections go by the names
/// that the owner gave them.
protocol ClientCarrierOwner: AnyObject {
  /// The connection is open; `instant` is when its first byte went out.
  func connected(_ connection: Int, at instant: WallInstant)
  /// A message of the answer; valid until this returns.
  func received(_ call: ClientCall, _ message: UnsafeRawBufferPointer)
  /// A request travels compressed.
  func sent(_ method: CollectorMethod, plainBytes: Int, bytes: Int)
  /// A message of an answer, which follows, came compressed.
  func received(_ call: ClientCall, plainBytes: Int, bytes: Int)
  /// The last word on a call.
  func ended(_ call: ClientCall, _ status: CallStatus)
  /// Flow control let go, or calls have ended: those that waited may go.
  func maySend(_ connection: Int)
  /// No new call may be opened; those that are open go on.
  func goesAway(_ connection: Int)
  /// The connection is gone, and with it the calls that were open.
  func ended(_ connection: Int, _ end: LinkError, open: [ClientCall])
}

extension ClientCarrierOwner {
  /// Who asks for no compression has nothing to count.
  func sent(_ method: CollectorMethod, plainBytes: Int, bytes: Int) {}
  /// Who asks for no compression has nothing to count.
  func received(_ call: ClientCall, plainBytes: Int, bytes: Int) {}
}
