package enum WebSocketError: ExchangeError, Equatable {
  case malformed(reason: String)
  case unresolved(host: String)
  case refused(reason: String)
  /// A certificate or key was rejected, on either side, or the TLS negotiation failed.
  case insecure(reason: String)
  /// The server did not upgrade the connection, or did not send what the opening expects.
  case rejected(reason: String)
  case tooLarge(limit: Int)
  case connectTimedOut(MQTTError.Stage)
  case timedOut
  case closed(reason: String)
  case exhausted(HTTPError.Resource)
  case abandoned
  case other(reason: String)

  package var kind: String {
    switch self {
    case .malformed: "malformed message"
    case .unresolved: "name not resolved"
    case .refused: "connection refused"
    case .insecure: "TLS failed"
    case .rejected: "client rejected"
    case .tooLarge: "answer too large"
    case .connectTimedOut: "connect timed out"
    case .timedOut: "timed out"
    case .closed: "connection closed"
    case .exhausted(let resource): "no \(resource.rawValue) left"
    case .abandoned: "given up"
    case .other: "failed"
    }
  }

  package var description: String {
    switch self {
    case .malformed(let reason): "the message cannot be sent: \(reason)"
    case .unresolved(let host): "the name '\(host)' does not resolve"
    case .refused(let reason): "no connection: \(reason)"
    case .insecure(let reason): "TLS failed: \(reason)"
    case .rejected(let reason): "the server opens no WebSocket: \(reason)"
    case .tooLarge(let limit): "the server sent a message of more than \(limit) bytes"
    case .connectTimedOut(let stage):
      switch stage {
      case .name: "the server's name was not resolved before the timeout"
      case .tcp: "no connection before the connect timeout"
      case .tls: "the server accepted the connection, but TLS did not complete before the timeout"
      case .acknowledgement:
        "the server accepted the connection, but did not open the WebSocket before the timeout"
      }
    case .timedOut: "no answer before the timeout"
    case .closed(let reason): "the connection ended before the answer came: \(reason)"
    case .exhausted(let resource):
      "this machine has no \(resource.rawValue) left for another connection"
    case .abandoned: "the run ended before the answer came"
    case .other(let reason): "the request failed: \(reason)"
    }
  }
}
