package import Core
package import Wire

/// A call whose first frame has been read, but not its message.
package struct CallOpening: Sendable {
  package let method: CollectorMethod
  /// The instant at which the first frame was read.
  package let at: WallInstant
  /// An upper bound of the time that the first frame waited to be read.
  package let queueingDelay: WallDuration
  /// The decaying number of the connection's recent uploads, this call included (`RecentCalls`).
  /// The rate is 0 for a call that is not an upload.
  package let connectionRate: Double
}

/// Serves calls on the loop's thread, independent of server and connection.
package protocol RPCHandler: AnyObject {
  /// Returns the status that refuses a call before its message arrives, or nil to admit the call.
  func refusal(of opening: CallOpening) -> CallStatus?
  /// Takes a complete request, and answers it once, now or later, with `reply`, `fail` or `finish`.
  /// `message` is valid until the function returns.
  func received(_ call: ServerCall, message: UnsafeRawBufferPointer)
  /// Reports that the client cancelled the call or lost its connection.
  func cancelled(_ call: ServerCall)
}

extension RPCHandler {
  package func refusal(of opening: CallOpening) -> CallStatus? { nil }
}
