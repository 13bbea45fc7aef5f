internal import SimulationCore
internal import Wire

/// Carries the calls of one connection of a server; for the loop's thread only.
///
/// It turns bytes into what `ServerConnection` is told (`begins`, `opens`, `receives`, `cancels`,
/// `pings`, `clientGoesAway`, `breaks`, `ended`) and answers into bytes. What a call is, and how
/// long a connection lives, is the connection's; how calls stand on the wire, and what flow control
/// holds back, is the carrier's. Calls are known by numbers that grow.
///
/// A class-bound existential: a call meets it three times, a frame never.
protocol ServerCarrier: AnyObject {
  var bytesRead: Int { get }
  var bytesWritten: Int { get }
  var isClosed: Bool { get }
  /// Bytes of answers that the client has not taken.
  var bytesUnread: Int { get }
  /// Of these, the bytes that flow control holds back.
  var bytesStalled: Int { get }
  /// Of these, the bytes that the stream waits to send.
  var bytesQueued: Int { get }
  /// Calls of services that the carrier serves itself.
  var otherCalls: Int { get }
  /// How long what is read now has stood behind a reader that cannot keep up.
  var backlogDelay: WallDuration { get }

  /// Sends one message of an open call.
  ///
  /// - Parameter isLast: it ends the call with OK.
  func send(_ call: UInt32, _ message: UnsafeRawBufferPointer, isLast: Bool)
  /// Ends an open call without a message.
  func end(_ call: UInt32, _ status: CallStatus)
  /// Lets the client send as many bytes of messages again.
  func consumed(_ bytes: Int)
  /// Tells the client to open no more calls; those that it has opened so far are still answered.
  func goAway(_ code: StatusCode, _ text: String)
  /// Answers a ping.
  func pong(_ payload: UInt64)
  /// Takes no more calls in until the client has taken what is queued for it.
  func pauseReading()
  /// Sends what is written without waiting for the end of the turn.
  func flush()
  /// Closes the connection; the first reason counts. `ServerConnection.ended` follows at once.
  func close(_ end: LinkError, reset: Bool)
}

extension ServerCarrier {
  var otherCalls: Int { 0 }
}

/// What a client says of a call before its message, beside method and deadline.
protocol CallMetadata {
  var metadataBytes: Int { get }
  var metadataEntries: Int { get }
  func value(of key: StaticString) -> UnsafeRawBufferPointer?
}

extension CallHeaders: CallMetadata {}
