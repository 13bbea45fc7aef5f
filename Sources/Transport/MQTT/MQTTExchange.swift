package struct MQTTAnswer: Sendable, Equatable {
  /// The reason code of MQTT 5: 0 for success, 16 for a message without subscribers. Always 0 in
  /// MQTT 3.1.1, which has no codes, and with QoS 0, which gets no answer.
  package var reason: Int
}

package typealias MQTTExchange = Exchange<MQTTAnswer, MQTTError>
