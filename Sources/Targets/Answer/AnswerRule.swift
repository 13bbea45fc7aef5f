package import Scenarios
package import SimulationCore

/// What one kind of answer means.
package struct AnswerRule: Sendable {
  /// What the server says by an answer.
  package enum Meaning: String, CaseIterable, Sendable, BitwiseCopyable {
    /// It has the fixes.
    case stored
    /// It had them already.
    case duplicate
    /// The app shall come again.
    case retry
    /// The app throws the fixes away.
    case refused
    /// It has some of them, and the app throws the others away.
    case partly
  }

  /// What is asked of the body.
  package enum Body: String, CaseIterable, Sendable, BitwiseCopyable {
    case any, empty, filled
    /// It is JSON, whatever it says.
    case json
  }

  /// After how long the app comes again.
  package enum Delay: Equatable, Sendable {
    /// As the app's own rule says.
    case own
    case after(WallDuration)
    /// As a header says: seconds in `retry-after`, milliseconds in gRPC's pushback.
    case header
  }

  /// Is where the rule was written.
  package var origin = Origin.whole("")
  /// Holds the statuses that match; empty: all.
  package var status: [StatusRange] = []
  /// Holds what headers have to be; all of them.
  package var headers: [TableEntry<String>] = []
  /// Holds what fields of the body have to be; all of them.
  package var fields: [FieldCondition] = []
  /// Says what is asked of the body.
  package var body = Body.any
  /// Says what an answer means that all this is true of.
  package var meaning = Meaning.stored
  /// The field that holds how many fixes the server has; read where the meaning is `partly`.
  package var taken: FieldPath?
  /// Says after how long the app comes again; read where the meaning is `retry`.
  package var delay = Delay.own
  /// Says why fixes are refused, in the words of the ledger; empty: by the status.
  package var reason = ""

  /// Makes a rule of which nothing is written.
  package init() {}
}

/// What a field of an answer has to be.
package struct FieldCondition: Equatable, Sendable {
  /// Is the field's path.
  package var path: FieldPath
  /// The value as text; `*`: any, as long as it is there; `$count`: the number of the request's
  /// fixes; `$$` stands for `$`.
  package var value: String
}

/// Statuses that mean the same: HTTP's, gRPC's or the reason codes of MQTT.
package struct StatusRange: Equatable, Sendable {
  /// Is the first that matches.
  package var low: Int
  /// Is the last that matches.
  package var high: Int
  /// Is as it is written.
  package var text: String

  /// Whether a status is one of them.
  package func contains(_ status: Int) -> Bool { low <= status && status <= high }

  /// The names of gRPC's status codes, in the order of their numbers
  /// (grpc/grpc: doc/statuscodes.md).
  package static let names = [
    "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND",
    "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED",
    "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
  ]

  /// Reads `200`, `2xx`, `200-399` or the name of a status of gRPC.
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

  /// Is true if it is written as the name of a status of gRPC.
  package var isName: Bool { Self.names.contains(text) }
}
