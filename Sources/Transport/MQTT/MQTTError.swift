/// Why a publish was not acknowledged, one kind a cause that its user acts on differently.
package enum MQTTError: ExchangeError, Equatable {
  /// The message, or who the client says that it is, cannot be sent.
  case malformed(reason: String)
  /// The broker said that it takes no such message: of this QoS, of this size, or retained.
  case notTaken(reason: String)
  case unresolved(host: String)
  case refused(reason: String)
  /// Certificates or keys were not accepted, on whichever side, or TLS could not be agreed on.
  case insecure(reason: String)
  /// The broker did not take the client, for the reason that its code names.
  case rejected(code: Int, reason: String)
  /// What came is not MQTT.
  case violated(reason: String)
  case tooLarge(limit: Int)
  /// The connection did not get past this stage in its time.
  case connectTimedOut(Stage)
  /// The acknowledgement did not come in time.
  case timedOut
  /// The connection ended before the acknowledgement came.
  case closed(reason: String)
  /// This machine has no descriptor or no port left.
  case exhausted(HTTPError.Resource)
  /// The clients were closed.
  case abandoned
  /// What libmosquitto has no kind of its own for.
  case other(reason: String)

  /// What a connection waits for, in order.
  package enum Stage: String, Equatable, Sendable, CaseIterable {
    case name, tcp, tls, acknowledgement
  }

  /// Names the kind in a few words, for tables.
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
  /// States the failure as one sentence without a period.
  package var description: String {
    switch self {
    case .malformed(let reason): "the message cannot be sent: \(reason)"
    case .notTaken(let reason): "the broker does not allow this message: \(reason)"
    case .unresolved(let host): "the name '\(host)' does not resolve"
    case .refused(let reason): "no connection: \(reason)"
    case .insecure(let reason): "TLS failed: \(reason)"
    case .rejected(let code, let reason):
      "the broker does not take the client: \(reason) (code \(code))"
    case .violated(let reason): "what came back is not MQTT: \(reason)"
    case .tooLarge(let limit):
      "the broker sent more than \(limit) bytes that were not asked for, and was cut off"
    case .connectTimedOut(let stage):
      switch stage {
      case .name: "the broker's name was not resolved within the time for it"
      case .tcp: "no connection within the time for it"
      case .tls: "the broker took the connection, and did not agree on TLS within the time for it"
      case .acknowledgement:
        "the broker took the connection, and did not answer CONNECT within the time for it"
      }
    case .timedOut: "no acknowledgement within the time for it"
    case .closed(let reason): "the connection ended before the acknowledgement came: \(reason)"
    case .exhausted(let resource):
      "this machine has no \(resource.rawValue) left for another connection"
    case .abandoned: "the run ended before the acknowledgement came"
    case .other(let reason): "the publish failed: \(reason)"
    }
  }
}
