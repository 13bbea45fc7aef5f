/// What ends a request over a connection that `Dials` opens, in the words of its protocol.
package enum DialError<Words: DialWords>: ExchangeError, Equatable {
  case malformed(reason: String)
  /// The broker announced that it does not accept the message's QoS, size or retained flag.
  case notTaken(reason: String)
  case unresolved(host: String)
  case refused(reason: String)
  /// A certificate or key was rejected, on either side, or the TLS negotiation failed.
  case insecure(reason: String)
  /// The broker did not accept the client, or the server did not upgrade the connection or did not
  /// send what the opening expects.
  case rejected(reason: String)
  case violated(reason: String)
  case tooLarge(limit: Int)
  case connectTimedOut(DialWait)
  case timedOut
  case closed(reason: String)
  case exhausted(HTTPError.Resource)
  case abandoned
  case other(reason: String)

  package var kind: String {
    switch self {
    case .malformed: "malformed message"
    case .notTaken: "not allowed by the \(Words.server)"
    case .unresolved: "name not resolved"
    case .refused: "connection refused"
    case .insecure: "TLS failed"
    case .rejected: "client rejected"
    case .violated: "not \(Words.name)"
    case .tooLarge: Words.tooLarge
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
    case .notTaken(let reason): "the \(Words.server) does not allow this message: \(reason)"
    case .unresolved(let host): "the name '\(host)' does not resolve"
    case .refused(let reason): "no connection: \(reason)"
    case .insecure(let reason): "TLS failed: \(reason)"
    case .rejected(let reason): "the \(Words.server) \(Words.rejects): \(reason)"
    case .violated(let reason): "the answer is not \(Words.name): \(reason)"
    case .tooLarge(let limit): "the \(Words.server) sent \(Words.tooMuch(limit))"
    case .connectTimedOut(let stage):
      switch stage {
      case .name: "the \(Words.server)'s name was not resolved before the timeout"
      case .tcp: "no connection before the connect timeout"
      case .tls: Self.accepted + "TLS did not complete before the timeout"
      case .acknowledgement: Self.accepted + "did not \(Words.accept) before the timeout"
      }
    case .timedOut: "no \(Words.answer) before the timeout"
    case .closed(let reason): "the connection ended before the \(Words.answer) came: \(reason)"
    case .exhausted(let resource):
      "this machine has no \(resource.rawValue) left for another connection"
    case .abandoned: "the run ended before the \(Words.answer) came"
    case .other(let reason): "the \(Words.request) failed: \(reason)"
    }
  }

  /// Returns what the error of a connection means for the one that it carries.
  init(ofCarrier error: DialError<some DialWords>) {
    self =
      switch error {
      case .malformed(let reason): .malformed(reason: reason)
      case .notTaken(let reason): .notTaken(reason: reason)
      case .unresolved(let host): .unresolved(host: host)
      case .refused(let reason): .refused(reason: reason)
      case .insecure(let reason): .insecure(reason: reason)
      case .rejected, .violated: .rejected(reason: "\(error)")
      case .tooLarge(let limit): .tooLarge(limit: limit)
      case .connectTimedOut(let wait): .connectTimedOut(wait)
      case .timedOut: .timedOut
      case .closed(let reason): .closed(reason: reason)
      case .exhausted(let resource): .exhausted(resource)
      case .abandoned: .abandoned
      case .other(let reason): .other(reason: reason)
      }
  }

  private static var accepted: String { "the \(Words.server) accepted the connection, but " }
}

package protocol DialWords: SendableMetatype {
  static var name: String { get }
  static var server: String { get }
  static var request: String { get }
  static var answer: String { get }
  static var rejects: String { get }
  /// What a server does that opens the connection.
  static var accept: String { get }
  static var tooLarge: String { get }
  static func tooMuch(_ limit: Int) -> String
}

package typealias MQTTError = DialError<MQTTWords>

package enum MQTTWords: DialWords {
  package static let (name, server) = ("MQTT", "broker")
  package static let (request, answer) = ("publish", "acknowledgement")
  package static let (rejects, accept) = ("rejects the client", "answer CONNECT")
  package static let tooLarge = "too much received"
  package static func tooMuch(_ limit: Int) -> String {
    "more than \(limit) unsolicited bytes and was disconnected"
  }
}

package typealias WebSocketError = DialError<WebSocketWords>

package enum WebSocketWords: DialWords {
  package static let (name, server) = ("WebSocket", "server")
  package static let (request, answer) = ("request", "answer")
  package static let (rejects, accept) = ("opens no WebSocket", "open the WebSocket")
  package static let tooLarge = "answer too large"
  package static func tooMuch(_ limit: Int) -> String { "a message of more than \(limit) bytes" }
}
