package enum HTTPError: ExchangeError, Equatable {
  /// An invalid URL or header line.
  case malformed(reason: String)
  case unresolved(host: String)
  case refused(reason: String)
  /// Rejected certificates or keys, on either side, or a failed TLS negotiation.
  case insecure(reason: String)
  /// The answer is not HTTP.
  case violated(reason: String)
  case tooLarge(limit: Int)
  case connectTimedOut
  case timedOut
  /// The connection ended before the answer was complete.
  case closed(reason: String)
  case exhausted(Resource)
  case abandoned
  case other(reason: String)

  package enum Resource: String, Equatable, Sendable {
    case descriptors, ports
  }

  /// Whether nothing of the request can have reached the server.
  package var isBeforeSending: Bool {
    switch self {
    case .malformed, .unresolved, .refused, .connectTimedOut, .exhausted: true
    // TLS 1.3 refuses a client's certificate when the request is on its way.
    case .insecure, .violated, .tooLarge, .timedOut, .closed, .abandoned, .other: false
    }
  }

  package var kind: String {
    switch self {
    case .malformed: "malformed request"
    case .unresolved: "name not resolved"
    case .refused: "connection refused"
    case .insecure: "TLS failed"
    case .violated: "not HTTP"
    case .tooLarge: "answer too large"
    case .connectTimedOut: "connect timed out"
    case .timedOut: "timed out"
    case .closed: "connection closed"
    case .exhausted(let resource): "no \(resource.rawValue) left"
    case .abandoned: "given up"
    case .other: "failed"
    }
  }
}

extension HTTPError {
  package var description: String {
    switch self {
    case .malformed(let reason): "the request cannot be sent: \(reason)"
    case .unresolved(let host): "the name '\(host)' does not resolve"
    case .refused(let reason): "no connection: \(reason)"
    case .insecure(let reason): "TLS failed: \(reason)"
    case .violated(let reason): "what came back is not HTTP: \(reason)"
    case .tooLarge(let limit): "the answer is larger than \(limit) bytes and was cut off"
    case .connectTimedOut: "no connection within the time for it"
    case .timedOut: "no whole answer within the time for it"
    case .closed(let reason): "the connection ended before the answer was whole: \(reason)"
    case .exhausted(let resource):
      "this machine has no \(resource.rawValue) left for another connection"
    case .abandoned: "the run ended before an answer came"
    case .other(let reason): "the request failed: \(reason)"
    }
  }
}
