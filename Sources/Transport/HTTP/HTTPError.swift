package enum HTTPError: ExchangeError, Equatable {
  /// An invalid URL or header line.
  case malformed(reason: String)
  case unresolved(host: String)
  case refused(reason: String)
  /// A certificate or key was rejected, on either side, or the TLS negotiation failed.
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

  /// Whether no part of the request can have reached the server.
  package var isBeforeSending: Bool {
    switch self {
    case .malformed, .unresolved, .refused, .connectTimedOut, .exhausted: true
    // With TLS 1.3 a client certificate may be refused while the request is in flight.
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
    case .violated(let reason): "the answer is not HTTP: \(reason)"
    case .tooLarge(let limit): "the answer is larger than \(limit) bytes and was cut off"
    case .connectTimedOut: "no connection before the connect timeout"
    case .timedOut: "no complete answer before the timeout"
    case .closed(let reason): "the connection ended before the answer was complete: \(reason)"
    case .exhausted(let resource):
      "this machine has no \(resource.rawValue) left for another connection"
    case .abandoned: "the run ended before an answer came"
    case .other(let reason): "the request failed: \(reason)"
    }
  }
}
