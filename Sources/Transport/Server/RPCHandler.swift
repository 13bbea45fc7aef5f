package import Core
package import Wire

/// A call after its first frame, before its message.
package struct CallOpening: Sendable {
  package let method: CollectorMethod
  /// When the first frame was read.
  package let at: WallInstant
  /// An upper bound of its time waiting to be read.
  package let queueingDelay: WallDuration
  /// The connection's recent calls, this one included; each fades within tenths of a second.
  package let connectionRate: Double
}

/// Serves calls on the loop's thread, independent of server and connection.
package protocol RPCHandler: AnyObject {
  /// Returns why a valid call is refused, or nil. Called before the message arrives, so that
  /// shedding a call costs almost nothing.
  func refusal(of opening: CallOpening) -> CallStatus?
  /// Takes a complete request, to be answered once with `reply`, `fail` or `finish`, now or later.
  /// The message is valid until this returns.
  func received(_ call: ServerCall, message: UnsafeRawBufferPointer)
  /// Reports that the client cancelled the call or lost its connection.
  func cancelled(_ call: ServerCall)
}

extension RPCHandler {
  package func refusal(of opening: CallOpening) -> CallStatus? { nil }
}
