package import Core

/// The clock offsets of the phones (CK1), and what their server observed (CK2).
package struct ClockFigures: Codable, Equatable, Sendable {
  /// Offsets at the end of the measured time, ahead or behind.
  package var off = ClockSteps()
  package var seen: ClockOffsets?

  package init() {}
}

extension ClockFigures {
  package static let steps: [(name: String, path: any KeyPath<ClockSteps, Int> & Sendable)] = [
    ("a second", \.second), ("a minute", \.minute), ("half an hour", \.halfHour),
    ("half a day", \.halfDay),
  ]

  package var sentence: String {
    guard let seen, seen.phones > 0 else { return "" }
    return """
      By their stamps, \(Figure.grouped(seen.ahead.second)) of \(Figure.grouped(seen.phones)) \
      phones were a second or more ahead of the server, \(Figure.grouped(seen.ahead.minute)) a \
      minute or more; \(Figure.grouped(seen.stampedAhead)) batches had a newest fix stamped after \
      they came. In truth the clocks of \(Figure.grouped(off.second)) phones were a second or more \
      off, ahead or behind.
      """
  }

  package static let head = ["off by, or more", "in truth", "ahead, as seen", "behind or late"]

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
    A phone’s stamps come from its own clock, and freshness, latency and the ledger above are of \
    true times, which no server has. To a server a clock that is ahead makes ages below zero and a \
    phone that looks fresh for as long after it went silent; one that is behind looks like a late \
    batch, so “behind or late” counts phones of which no batch was younger when it came.
    """
}
