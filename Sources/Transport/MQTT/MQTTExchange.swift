package struct MQTTAnswer: Sendable, Equatable {
  /// The reason code of MQTT 5, such as 0 for success and 16 for a message without subscribers; 0
  /// in MQTT 3.1.1, which has none, and with QoS 0, which is not answered.
  package var reason: Int

  package var text: String { MosquittoHandle.text(reason: reason) }
}

package typealias MQTTExchange = Exchange<MQTTAnswer, MQTTError>
