internal import CMosquitto
internal import Foundation

extension DialError<MQTTWords> {
  /// - Parameter isNew: whether the broker has not yet accepted the client.
  init(_ status: MosquittoStatus, isNew: Bool, isConnecting: Bool) {
    switch mosq_err_t(rawValue: status.code) {
    case MOSQ_ERR_SUCCESS, MOSQ_ERR_CONN_LOST, MOSQ_ERR_NO_CONN:
      self = .closed(reason: isNew ? Self.before : "by the broker")
    case MOSQ_ERR_ERRNO:
      self = MQTTError(system: status.systemError, isConnecting: isConnecting)
    case MOSQ_ERR_PROTOCOL, MOSQ_ERR_MALFORMED_PACKET, MOSQ_ERR_MALFORMED_UTF8,
      MOSQ_ERR_DUPLICATE_PROPERTY, MOSQ_ERR_TOPIC_ALIAS_INVALID, MOSQ_ERR_OVERSIZE_PACKET:
      self = .violated(reason: status.text)
    case MOSQ_ERR_TLS, MOSQ_ERR_TLS_HANDSHAKE: self = .insecure(reason: status.text)
    case MOSQ_ERR_KEEPALIVE: self = .closed(reason: "the broker did not answer a ping")
    default: self = .other(reason: status.text)  // A C library's codes are no closed set.
    }
  }

  /// Creates the error of a message that libmosquitto refused, or nil if the connection failed.
  init?(refusedMessage status: MosquittoStatus) {
    switch mosq_err_t(rawValue: status.code) {
    case MOSQ_ERR_QOS_NOT_SUPPORTED:
      self = .notTaken(reason: "its QoS is above what the broker supports; lower 'qos'")
    case MOSQ_ERR_OVERSIZE_PACKET:
      self = .notTaken(
        reason: "it is larger than the broker's maximum packet size; send fewer fixes per message "
          + "or raise the broker's limit")
    case MOSQ_ERR_RETAIN_NOT_SUPPORTED:
      self = .notTaken(reason: "the broker does not support retained messages; omit 'retain'")
    case MOSQ_ERR_INVAL, MOSQ_ERR_PAYLOAD_SIZE, MOSQ_ERR_MALFORMED_UTF8, MOSQ_ERR_NOT_SUPPORTED:
      self = .malformed(reason: status.text)
    default: return nil  // A C library's codes are no closed set.
    }
  }

  private static let before =
    "the broker closed it before it accepted the client; it may need TLS or another version"

  init(system error: Int32, isConnecting: Bool) {
    let reason = String(cString: strerror(error))
    switch error {
    case EMFILE, ENFILE: self = .exhausted(.descriptors)
    case EPIPE where isConnecting, ECONNRESET where isConnecting:
      self = .closed(reason: Self.before)
    case EADDRNOTAVAIL where isConnecting: self = .exhausted(.ports)
    // The system may report other errors.
    default: self = isConnecting ? .refused(reason: reason) : .closed(reason: reason)
    }
  }
}
