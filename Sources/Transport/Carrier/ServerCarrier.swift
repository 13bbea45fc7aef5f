internal import Core
internal import Wire

/// One server connection's calls, on the loop's thread. The carrier owns the wire format and flow
/// control; the connection owns calls and lifetime. Call numbers only grow.
protocol ServerCarrier: AnyObject {
  var bytesRead: Int { get }
  var bytesWritten: Int { get }
  var isClosed: Bool { get }
  /// Bytes of answers that the client has not taken.
  var bytesUnread: Int { get }
  /// The part of `bytesUnread` that flow control holds back.
  var bytesStalled: Int { get }
  var bytesQueued: Int { get }
  /// Calls of services that the carrier serves itself.
  var otherCalls: Int { get }
  /// The age of the data read now, for a reader that cannot keep up.
  var backlogDelay: WallDuration { get }

  /// Sends one message of an open call; the last one ends it with OK.
  func send(_ call: UInt32, _ message: UnsafeRawBufferPointer, isLast: Bool)
  func end(_ call: UInt32, _ status: CallStatus)
  /// Returns this many bytes of window to the client.
  func consumed(_ bytes: Int)
  /// Requests the client to open no more calls; those already open are still answered.
  func goAway(_ code: StatusCode, _ text: String)
  func pong(_ payload: UInt64)
  /// Stops accepting calls until the client has taken its queued answers.
  func pauseReading()
  /// Sends pending output without waiting for the end of the turn.
  func flush()
  /// Closes the connection; the first reason counts. `ServerConnection.ended` follows at once.
  func close(_ end: LinkError, reset: Bool)
}

extension ServerCarrier {
  var otherCalls: Int { 0 }
}

/// Call metadata besides method and deadline.
protocol CallMetadata {
  var metadataBytes: Int { get }
  var metadataEntries: Int { get }
  func value(of key: StaticString) -> UnsafeRawBufferPointer?
}

extension CallHeaders: CallMetadata {}
