package import Core

/// The clock offsets of the phones (CK1), and what their server observed (CK2).
package struct ClockFigures: Codable, Equatable, Sendable {
  /// The phones by their true offset at the end of the measured time, whether ahead or behind.
  package var off = ClockSteps()
  package var seen: ClockOffsets?

  package init() {}
}

extension ClockFigures {
  package static let steps: [(name: String, path: any KeyPath<ClockSteps, Int> & Sendable)] = [
    ("1 s", \.second), ("1 min", \.minute), ("30 min", \.halfHour), ("12 h", \.halfDay),
  ]

  package var sentence: String {
    guard let seen, seen.phones > 0 else { return "" }
    return """
      By their timestamps, \(Figure.grouped(seen.ahead.second)) of \
      \(Figure.grouped(seen.phones)) phones were at least 1 s ahead of the server, \
      \(Figure.grouped(seen.ahead.minute)) of them at least 1 min; \
      \(Figure.grouped(seen.stampedAhead)) batches had a newest fix later than their receipt. The \
      true offset was at least 1 s for \(Figure.grouped(off.second)) phones.
      """
  }

  package static let head = ["offset, at least", "true", "ahead, as seen", "behind or late"]

  package var rows: [[String]] {
    Self.steps.map { name, path in
      [
        name, Figure.grouped(off[keyPath: path]),
        seen.map { Figure.grouped($0.ahead[keyPath: path]) } ?? "—",
        seen.map { Figure.grouped($0.late[keyPath: path]) } ?? "—",
      ]
    }
  }

  package static let note = """
    Timestamps come from the phones’ clocks; freshness, latency and the ledger above use true \
    times, which a server does not know. A clock that is ahead produces negative ages, and its \
    phone seems fresh for longer by the offset. A clock that is behind cannot be \
    distinguished from late batches: “behind or late” counts phones whose batches were all at \
    least that old on receipt.
    """
}
