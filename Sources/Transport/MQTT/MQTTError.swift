package enum MQTTError: ExchangeError, Equatable {
  case malformed(reason: String)
  /// The broker announced that it does not accept the message's QoS, size or retained flag.
  case notTaken(reason: String)
  case unresolved(host: String)
  case refused(reason: String)
  /// A certificate or key was rejected, on either side, or the TLS negotiation failed.
  case insecure(reason: String)
  case rejected(code: Int, reason: String)
  case violated(reason: String)
  case tooLarge(limit: Int)
  case connectTimedOut(Stage)
  case timedOut
  case closed(reason: String)
  case exhausted(HTTPError.Resource)
  case abandoned
  case other(reason: String)

  package enum Stage: String, Equatable, Sendable, CaseIterable {
    case name, tcp, tls, acknowledgement
  }

  package var kind: String {
    switch self {
    case .malformed: "malformed message"
    case .notTaken: "not allowed by the broker"
    case .unresolved: "name not resolved"
    case .refused: "connection refused"
    case .insecure: "TLS failed"
    case .rejected: "client rejected"
    case .violated: "not MQTT"
    case .tooLarge: "too much received"
    case .connectTimedOut: "connect timed out"
    case .timedOut: "timed out"
    case .closed: "connection closed"
    case .exhausted(let resource): "no \(resource.rawValue) left"
    case .abandoned: "given up"
    case .other: "failed"
    }
  }
}

extension MQTTError {
  package var description: String {
    switch self {
    case .malformed(let reason): "the message cannot be sent: \(reason)"
    case .notTaken(let reason): "the broker does not allow this message: \(reason)"
    case .unresolved(let host): "the name '\(host)' does not resolve"
    case .refused(let reason): "no connection: \(reason)"
    case .insecure(let reason): "TLS failed: \(reason)"
    case .rejected(let code, let reason):
      "the broker rejects the client: \(reason) (code \(code))"
    case .violated(let reason): "the answer is not MQTT: \(reason)"
    case .tooLarge(let limit):
      "the broker sent more than \(limit) unsolicited bytes and was disconnected"
    case .connectTimedOut(let stage):
      switch stage {
      case .name: "the broker's name was not resolved before the timeout"
      case .tcp: "no connection before the connect timeout"
      case .tls: "the broker accepted the connection, but TLS did not complete before the timeout"
      case .acknowledgement:
        "the broker accepted the connection, but did not answer CONNECT before the timeout"
      }
    case .timedOut: "no acknowledgement before the timeout"
    case .closed(let reason): "the connection ended before the acknowledgement came: \(reason)"
    case .exhausted(let resource):
      "this machine has no \(resource.rawValue) left for another connection"
    case .abandoned: "the run ended before the acknowledgement came"
    case .other(let reason): "the publish failed: \(reason)"
    }
  }
}
