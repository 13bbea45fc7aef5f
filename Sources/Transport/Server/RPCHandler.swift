package import SimulationCore
package import Wire

/// What is known of a call when its first frame has come, before its message.
package struct CallOpening: Sendable {
  /// Is the method that is called.
  package let method: CollectorMethod
  /// Is the instant at which the first frame was read.
  package let at: WallInstant
  /// How long it has waited to be read, at most.
  package let queueingDelay: WallDuration
  /// The connection's calls of late, this one included; each fades within tenths of a second.
  package let connectionRate: Double
}

/// Serves calls; every method is called on the loop's thread.
///
/// A handler sees calls, which answer themselves, and never the server or the connection that
/// carries them.
package protocol RPCHandler: AnyObject {
  /// Returns why a call is not taken, although nothing is wrong with it; nil: it is taken. Asked
  /// before the message has come, so that a call that is shed costs next to nothing.
  func refusal(of opening: CallOpening) -> CallStatus?
  /// Takes a whole request, to be answered once with `reply`, `fail` or `finish`, at once or later.
  ///
  /// - Parameter message: valid until this returns.
  func received(_ call: ServerCall, message: UnsafeRawBufferPointer)
  /// Hears that the client gave the call up, or that its connection broke; an answer goes nowhere.
  func cancelled(_ call: ServerCall)
}

extension RPCHandler {
  /// Takes every call: the default of a handler that never sheds load.
  package func refusal(of opening: CallOpening) -> CallStatus? { nil }
}
