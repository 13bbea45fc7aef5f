/// What kind of request was made of a target.
package enum RequestKind: String, CaseIterable, Sendable, BitwiseCopyable, Codable {
  case registration, upload
  /// What is sent while a backlog waits.
  case backlog
  /// What the server holds is asked for.
  case readback
}

/// What came of one request, as a table counts it: an answer by its status and the rule that it
/// met, or why there was none.
package struct RequestFate: Hashable, Sendable, Codable {
  /// Says what was asked.
  package var kind: RequestKind
  /// Is the answer's status as text, or the kind of failure.
  package var status: String
  /// Is true where there was an answer.
  package var isAnswered: Bool
  /// Is the rule that it met, from 0; nil: none, or there was no answer.
  package var rule: Int?
  /// The meaning of the answer: `stored`, `duplicate`, `partly`, `retry`, `refused`, `failed`,
  /// `unknown`; of a read-back `read`, or `unread` where it gave no rows.
  package var meaning: String

  /// Makes the fate of a request that was answered.
  package init(_ kind: RequestKind, status: String, _ answer: Answer) {
    self.kind = kind
    self.status = status
    isAnswered = true
    rule = answer.rule
    meaning =
      switch answer.outcome {
      case .stored: "stored"
      case .duplicate: "duplicate"
      case .retry: "retry"
      case .refused: "refused"
      case .partly: "partly"
      case .failed: "failed"
      }
  }

  /// Makes the fate of a read-back that was answered; what its rows say is judged elsewhere.
  ///
  /// - Parameter isRead: whether the status is that of an answer with rows.
  package init(readback status: String, isRead: Bool) {
    kind = .readback
    self.status = status
    isAnswered = true
    meaning = isRead ? "read" : "unread"
  }

  /// Makes the fate of a request without an answer.
  ///
  /// - Parameter isReached: false where nothing of it can have reached the server, which then has
  ///   not taken it.
  package init(_ kind: RequestKind, unanswered reason: String, isReached: Bool) {
    self.kind = kind
    status = reason
    isAnswered = false
    meaning = isReached ? "unknown" : "failed"
  }
}

/// Counts requests by what came of them.
package struct TargetTally: Equatable, Sendable, Codable {
  /// Holds how often each fate was met.
  package private(set) var counts: [RequestFate: Int] = [:]

  /// Makes a tally of no requests.
  package init() {}

  /// Counts a request.
  ///
  /// - Returns: whether it is the first of its fate.
  package mutating func note(_ fate: RequestFate) -> Bool {
    let count = counts[fate, default: 0]
    counts[fate] = count + 1
    return count == 0
  }

  /// Adds the tally of other phones.
  package mutating func merge(_ other: TargetTally) {
    counts.merge(other.counts, uniquingKeysWith: +)
  }

  /// Lists the fates, registrations first, then by how often they were met.
  package var rows: [(fate: RequestFate, count: Int)] {
    func place(_ fate: RequestFate) -> Int { RequestKind.allCases.firstIndex(of: fate.kind) ?? 0 }
    return counts.map { ($0.key, $0.value) }.sorted { a, b in
      (place(a.0), b.1, a.0.status) < (place(b.0), a.1, b.0.status)
    }
  }
}
