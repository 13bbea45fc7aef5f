/// What a broker said to one publish.
package struct MQTTAnswer: Sendable, Equatable {
  /// The reason code of MQTT 5, such as 0 for success and 16 for a message that nobody subscribes
  /// to; 0 in MQTT 3.1.1, which has none, and with QoS 0, which is not answered.
  package var reason: Int

  package init(reason: Int) { self.reason = reason }

  /// The reason in words, such as "Quota exceeded".
  package var text: String { MosquittoHandle.text(reason: reason) }
}

/// The end of a publish.
package typealias MQTTExchange = Exchange<MQTTAnswer, MQTTError>
