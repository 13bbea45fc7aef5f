internal import Core
internal import Wire

/// The wire protocol of one server connection, on the loop's thread. The carrier owns wire format
/// and flow control, and `ServerConnection` owns calls and lifetime. Call numbers only grow.
protocol ServerCarrier: LinkOwner {
  var link: Link { get }
  var bytesRead: Int { get }
  var bytesWritten: Int { get }
  var isClosed: Bool { get }
  /// The bytes of answers that the server has not sent yet.
  var bytesUnread: Int { get }
  /// The part of `bytesUnread` that flow control holds back.
  var bytesStalled: Int { get }
  var bytesQueued: Int { get }
  /// The number of open calls of services that the carrier serves itself.
  var otherCalls: Int { get }
  /// An upper bound of the age of the data that is being read. Zero if the server keeps up.
  var backlogDelay: WallDuration { get }

  /// Sends one message of an open call. The last message ends the call with OK.
  func send(_ call: UInt32, _ message: UnsafeRawBufferPointer, isLast: Bool)
  func end(_ call: UInt32, _ status: CallStatus)
  /// Returns `bytes` of the flow-control window to the client.
  func consumed(_ bytes: Int)
  /// Asks the client to open no more calls. Open calls are still answered.
  func goAway(_ code: StatusCode, _ text: String)
  func pong(_ payload: UInt64)
  /// Stops accepting calls until the client has taken its queued answers.
  func pauseReading()
  /// Sends pending output without waiting for the end of the turn.
  func flush()
  /// Closes the connection and calls `ServerConnection.ended` at once. Later calls have no effect.
  func close(_ end: LinkError, reset: Bool)
}

extension ServerCarrier {
  var bytesRead: Int { link.bytesRead }
  var bytesWritten: Int { link.bytesWritten }
  var isClosed: Bool { link.isClosed }
  var bytesUnread: Int { link.bytesQueued + bytesStalled }
  var bytesQueued: Int { link.bytesQueued }
  var otherCalls: Int { 0 }
  var backlogDelay: WallDuration { link.backlogDelay }

  func pauseReading() { link.pauseReading() }
  func flush() { link.flush() }
  func close(_ end: LinkError, reset: Bool) { link.end(end, reset: reset) }

  func linkConnected(at instant: WallInstant) {}
}

/// The metadata of a call besides its method and its deadline.
protocol CallMetadata {
  var metadataBytes: Int { get }
  var metadataEntries: Int { get }
  func value(of key: StaticString) -> UnsafeRawBufferPointer?
}

extension CallHeaders: CallMetadata {}
