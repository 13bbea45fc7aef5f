package import Core
package import Wire

/// A call whose first frame has been read, but not its message.
package struct CallOpening: Sendable {
  package let method: CollectorMethod
  /// The instant at which the first frame was read.
  package let at: WallInstant
  /// An upper bound of the time that the first frame waited to be read.
  package let queueingDelay: WallDuration
  /// The connection's recent calls, this call included. A call's weight decays from 1 in tenths of
  /// a second.
  package let connectionRate: Double
}

/// Serves calls on the loop's thread, independent of server and connection.
package protocol RPCHandler: AnyObject {
  /// Returns why a valid call is refused, or nil, before its message has arrived.
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
