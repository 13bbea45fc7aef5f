package import SimulationCore

/// Where the time of one publish went; the parts sum to the whole exactly.
package struct MQTTTimes: Sendable, Equatable, BitwiseCopyable {
  /// Is the wait to be allowed to connect, and for earlier publishes of the same client.
  package var waiting = WallDuration.zero
  /// Is the time until the broker's name was resolved; zero on a connection that was open, like
  /// the next three.
  package var resolving = WallDuration.zero
  /// Is the time from there until TCP was connected.
  package var connecting = WallDuration.zero
  /// Is the time from there until TLS was agreed on; zero in the clear.
  package var securing = WallDuration.zero
  /// Is the time from there until the broker took the client.
  package var greeting = WallDuration.zero
  /// Is the time from when the publish was written to its last acknowledgement, or to the failure.
  package var answering = WallDuration.zero

  /// Makes times of zero.
  package init() {}

  /// Sums the parts.
  package var whole: WallDuration {
    waiting + resolving + connecting + securing + greeting + answering
  }
}

/// Is what a broker said to one publish.
package struct MQTTAnswer: Sendable, Equatable {
  /// Is the reason code of MQTT 5, such as 0 for success and 16 for a message that nobody
  /// subscribes to; 0 in MQTT 3.1.1, which has none, and with QoS 0, which is not answered.
  package var reason: Int

  /// Makes an answer of its reason code.
  package init(reason: Int) { self.reason = reason }

  /// Is the reason in words, such as "Quota exceeded".
  package var text: String { MosquittoHandle.text(reason: reason) }
}

/// Is one publish's end: its acknowledgement, or why there is none, and what it took.
package struct MQTTExchange: Sendable {
  /// Is the answer, or the failure.
  package var result: Result<MQTTAnswer, MQTTError>
  /// Says where the time went.
  package var times = MQTTTimes()
  /// Is true where the publish may have reached the broker, which then may have taken it whatever
  /// the failure is.
  package var isWritten = false
  /// Counts the connections that were begun for it: 0 on one that was open.
  package var connections = 0
  /// Is true where a new connection went on from an earlier TLS session.
  package var isResumed = false
  /// Counts what was sent, in bytes, without TLS: the publish's packet.
  package var bytesSent = 0
  /// Counts what the broker sent this client since the publish before, in bytes, with TLS.
  package var bytesReceived = 0

  /// Makes an end that took nothing.
  package init(_ result: Result<MQTTAnswer, MQTTError>) { self.result = result }
}

/// Receives the ends of publishes, on the loop's thread.
package protocol MQTTClientsOwner: AnyObject {
  /// Returns who a phone says that it is; asked when its client connects.
  func login(of phone: UInt32) -> MQTTLogin
  /// - Parameter exchange: the name under which the message was published.
  func ended(_ exchange: UInt64, _ end: MQTTExchange)
  /// Receives how a client connected that was asked to before it had anything to publish.
  ///
  /// - Parameter failure: why it did not; nil: the broker took it.
  func connected(_ phone: UInt32, _ failure: MQTTError?)
}

extension MQTTClientsOwner {
  /// Does nothing: for those that only publish.
  package func connected(_ phone: UInt32, _ failure: MQTTError?) {}
}
