package enum RequestKind: String, CaseIterable, Sendable, BitwiseCopyable, Codable {
  case registration, upload
  case backlog
  case event
  case readback
  case eventReadback = "events.readback"
  /// A viewer's read of a phone's newest position.
  case view

  /// Whether the answer has rows, and the request is in no figure of uploads.
  package var isRead: Bool {
    switch self {
    case .registration, .upload, .backlog, .event: false
    case .readback, .eventReadback, .view: true
    }
  }
}

/// The result of a request as tables show it: an answer with its status and rule, or a failure.
package struct RequestFate: Hashable, Sendable, Codable {
  package var kind: RequestKind
  /// The answer's status as text, or the kind of failure.
  package var status: String
  package var isAnswered: Bool
  /// The index of the rule that matched; nil if no rule matched or no answer came.
  package var rule: Int?
  /// `stored`, `duplicate`, `partly`, `retry`, `refused`, `failed` or `unknown`. A read is
  /// `read`, or `unread` if the answer had no rows.
  package var meaning: String

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

  /// - Parameter isRead: whether the answer had rows.
  package init(read kind: RequestKind, status: String, isRead: Bool) {
    self.kind = kind
    self.status = status
    isAnswered = true
    meaning = isRead ? "read" : "unread"
  }

  /// - Parameter isReached: whether the request may have reached the server.
  package init(_ kind: RequestKind, unanswered reason: String, isReached: Bool) {
    self.kind = kind
    status = reason
    isAnswered = false
    meaning = isReached ? "unknown" : "failed"
  }
}

package struct TargetTally: Equatable, Sendable, Codable {
  package private(set) var counts: [RequestFate: Int] = [:]

  package init() {}

  /// Counts a request; returns whether it is the first with this fate.
  package mutating func note(_ fate: RequestFate) -> Bool {
    let count = counts[fate, default: 0]
    counts[fate] = count + 1
    return count == 0
  }

  package mutating func merge(_ other: TargetTally) {
    counts.merge(other.counts, uniquingKeysWith: +)
  }

  package var rows: [(fate: RequestFate, count: Int)] {
    func place(_ fate: RequestFate) -> Int { RequestKind.allCases.firstIndex(of: fate.kind) ?? 0 }
    return counts.map { ($0.key, $0.value) }.sorted { a, b in
      (place(a.0), b.1, a.0.status) < (place(b.0), a.1, b.0.status)
    }
  }
}
