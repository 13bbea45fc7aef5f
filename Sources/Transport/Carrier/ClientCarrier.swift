internal import Core
internal import Wire

/// A call, identified by its connection and by a number that counts from 1 on that connection.
struct ClientCall: Hashable, Sendable, BitwiseCopyable {
  let connection: Int
  let number: UInt32
}

/// The calls of one client connection, for use on the loop's thread only.
protocol ClientCarrier: AnyObject {
  var isConnected: Bool { get }
  /// Whether new calls may be opened, now or once flow control allows it.
  var isUsable: Bool { get }
  /// Whether flow control allows one more call now.
  var maySend: Bool { get }
  var bytesRead: Int { get }
  var bytesWritten: Int { get }

  /// Opens a call with its only message, which is sent at `flush` or at the end of the turn. The
  /// call also sends `timeout`, which the owner enforces, and with gRPC `previousAttempts`.
  func call(
    _ method: CollectorMethod, _ message: [UInt8], timeout: WallDuration?, previousAttempts: Int
  ) -> ClientCall
  /// Cancels a call. The owner gets no further events of the call.
  func cancel(_ call: ClientCall)
  /// Sends pending output without waiting for the end of the turn.
  func flush()
  /// Closes the connection without further events. `reset` sends RST, since a port in TIME_WAIT is
  /// blocked for a minute, which would limit `per-upload` to 470 uploads/s.
  func close(reset: Bool)
}

extension ClientCarrier {
  func call(
    _ method: CollectorMethod, _ message: [UInt8], timeout: WallDuration?
  ) -> ClientCall {
    call(method, message, timeout: timeout, previousAttempts: 0)
  }
}

/// Receives the events of client carriers, on the loop's thread.
protocol ClientCarrierOwner: AnyObject {
  /// Reports an open connection, whose first byte went out at `instant`.
  func connected(_ connection: Int, at instant: WallInstant)
  /// Delivers a response message, which is valid until the function returns.
  func received(_ call: ClientCall, _ message: UnsafeRawBufferPointer)
  /// Reports the sizes of a compressed request, before and after compression.
  func sent(_ method: CollectorMethod, plainBytes: Int, bytes: Int)
  /// Reports the decompressed and the compressed size of the call's next response message.
  func received(_ call: ClientCall, plainBytes: Int, bytes: Int)
  func ended(_ call: ClientCall, _ status: CallStatus)
  /// Reports that flow control allows calls again, or that calls have ended.
  func maySend(_ connection: Int)
  /// Reports that no new calls may be opened. Open calls continue.
  func goesAway(_ connection: Int)
  func ended(_ connection: Int, _ end: LinkError, open: [ClientCall])
}

extension ClientCarrierOwner {
  func sent(_ method: CollectorMethod, plainBytes: Int, bytes: Int) {}
  func received(_ call: ClientCall, plainBytes: Int, bytes: Int) {}
}
