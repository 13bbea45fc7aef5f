package import Core
package import Scenarios

package struct AnswerRule: Sendable {
  package enum Meaning: String, CaseIterable, Sendable, BitwiseCopyable {
    /// The server has the fixes.
    case stored
    /// The server already had the fixes.
    case duplicate
    case retry
    /// The app drops the fixes.
    case refused
    /// The server has some of the fixes, and the app drops the rest.
    case partly
  }

  package enum Body: String, CaseIterable, Sendable, BitwiseCopyable {
    case any, empty, filled
    case json
  }

  package enum Delay: Equatable, Sendable {
    case own
    case after(WallDuration)
    /// The wait that the header `retry-after` states, or gRPC's pushback in milliseconds.
    case header
  }

  package var origin = Origin.whole("")
  /// The statuses that match; empty for all.
  package var status: [StatusRange] = []
  /// The required headers; all must match.
  package var headers: [TableEntry<String>] = []
  /// The required fields of the body; all must match.
  package var fields: [FieldCondition] = []
  package var body = Body.any
  package var meaning = Meaning.stored
  /// The field with the number of stored fixes; used only if `meaning` is `partly`.
  package var taken: FieldPath?
  /// The wait before a retry; used only if `meaning` is `retry`.
  package var delay = Delay.own
  /// The reason that reports give for a refusal; empty to give the status.
  package var reason = ""
}

package struct FieldCondition: Equatable, Sendable {
  package var path: FieldPath
  /// The value as text. `*` stands for any value that is present, `$count` for the number of fixes
  /// in the request, and `$$` at the start for `$`.
  package var value: String
}

package struct StatusRange: Equatable, Sendable {
  package var low: Int
  package var high: Int
  package var text: String

  package func contains(_ status: Int) -> Bool { low <= status && status <= high }

  /// The names of gRPC's status codes, by number (grpc/grpc: doc/statuscodes.md).
  package static let names = [
    "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND",
    "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED",
    "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
  ]

  init(_ text: String) throws(ValueError) {
    self.text = text
    if let code = Self.names.firstIndex(of: text) {
      (low, high) = (code, code)
    } else if text.hasSuffix("xx"), let hundred = Int(text.dropLast(2)), (1...5).contains(hundred) {
      (low, high) = (hundred * 100, hundred * 100 + 99)
    } else {
      let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
      guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1],
        (0...999).contains(first), (first...999).contains(last)
      else {
        throw ValueError(
          "'\(text)' is not a status", hint: Spelling.hint(for: text, in: Self.names))
      }
      (low, high) = (first, last)
    }
  }

  /// Whether the file gives the status as a name of gRPC.
  package var isName: Bool { Self.names.contains(text) }
}
