package import Figures
internal import SimulationCore
package import Targets
package import Transport

/// Is what a carrier sends in the name of a phone: which request, and what its values are read
/// from.
package struct TargetRequest: Sendable {
  /// Says which of the target's requests it is.
  package var kind: RequestKind
  /// Is what its values are read from.
  package var context: UploadContext

  /// Makes a request.
  package init(_ kind: RequestKind, _ context: UploadContext) {
    self.kind = kind
    self.context = context
  }
}

/// Is one request's end: what the answer meant, or why there was none, and what it took.
package struct TargetExchange: Sendable {
  /// Is what came of it.
  package enum Result: Sendable {
    /// It was answered.
    ///
    /// - `status`: the answer's status as tables show it.
    /// - `kept`: the values that the target keeps of the answer, in their order; nil where the
    ///   answer has none.
    case answered(Targets.Answer, status: String, kept: [String?])
    /// It was not.
    ///
    /// - `kind`: names the failure in one or two words, for tables.
    /// - `reason`: states it as one sentence without a period.
    /// - `isReached`: false where nothing of the request can have reached the server.
    case unanswered(kind: String, reason: String, isReached: Bool)
  }

  /// Says what came of it.
  package var result: Result
  /// Says where its time went.
  package var times = HTTPTimes()
  /// Reads the rows of a read-back's answer; may take a while. nil: it has none, or is another's.
  package var rows: (@Sendable () throws(ReadbackError) -> ReadbackRows)?
  /// Is true where a new connection went on from an earlier TLS session; nil: there was no
  /// handshake.
  package var isResumed: Bool?

  /// Makes an end that took nothing.
  package init(_ result: Result) { self.result = result }
}

extension TargetExchange {
  /// Reads the rows of a read-back's answer, or says why there are none.
  func readRows() throws(ReadbackError) -> ReadbackRows {
    switch result {
    case .unanswered(let kind, _, _): throw ReadbackError(description: kind)
    case .answered(_, let status, _):
      guard let rows else { throw ReadbackError(description: status) }
      return try rows()
    }
  }

  /// Notes where its time went, and what its connection cost.
  ///
  /// - Parameter connections: how many were made for it.
  package mutating func note(_ times: HTTPTimes, connections: Int, isResumed: Bool) {
    self.times = times
    if connections > 0, times.securing > .zero { self.isResumed = isResumed }
  }
}

/// Knows which request each exchange under way is, and the rules that its answer is judged by.
struct OpenExchanges {
  private let upload: AnswerRules
  private let registration: AnswerRules
  private var open: [UInt64: (kind: RequestKind, fixes: Int)] = [:]

  init(_ target: Target) {
    upload = target.uploadAnswers
    registration = target.registerAnswers
  }

  mutating func begin(_ number: UInt64, _ request: TargetRequest) {
    open[number] = (request.kind, request.context.fixes.count)
  }

  /// Ends an exchange.
  mutating func end(
    _ number: UInt64
  ) -> (kind: RequestKind, fixes: Int, rules: AnswerRules) {
    let (kind, fixes) = open.removeValue(forKey: number) ?? (.upload, 0)
    return (kind, fixes, kind == .registration ? registration : upload)
  }
}

extension Sheet {
  /// Takes a carrier's connections, handshakes and bytes so far.
  mutating func fill(_ carrier: Sheet) {
    for count in Self.ofConnections { self[count] = carrier[count] }
  }

  private static let ofConnections: [Count] = [
    .connects, .openConnections, .openConnectionsPeak, .handshakesFull, .handshakesResumed,
    .bytesSent, .bytesReceived,
  ]
}

/// Receives the ends of requests, on the loop's thread.
package protocol TargetCarrierOwner: AnyObject {
  /// - Parameter number: the name under which the request was sent.
  func ended(_ number: UInt64, _ end: TargetExchange)
}

/// Carries a target's requests to its server: HTTP, gRPC, MQTT. It writes them, sends them on the
/// connections that the target asks for, and says by the target's rules what an answer means.
///
/// Belongs to the thread of its loop. Each request ends exactly once, within its time; of those
/// that are under way `close` ends each as unanswered.
package protocol TargetCarrier: AnyObject {
  /// Sends a request; its end comes in a later call.
  func send(_ request: TargetRequest, as number: UInt64, of phone: UInt32)
  /// Fills in connections, handshakes and bytes so far.
  func fill(_ counters: inout Sheet)
  /// Ends what is under way and closes every connection; more than once is harmless.
  func close()
}
