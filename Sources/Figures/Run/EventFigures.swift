package import Core

/// The events that apps sent beside their fixes. Their ledger is `ledger.events`.
package struct EventFigures: Equatable, Sendable, Codable {
  /// Events of a border that the phone had not crossed.
  package var wrong = 0
  /// Events that repeated the last one of their place.
  package var repeated = 0
  /// Requests that failed for lack of a data path.
  package var offline = 0
  /// Requests that failed at the server or on the way.
  package var failed = 0
  /// Requests whose app was suspended or ended before the answer came.
  package var unanswered = 0
  /// From the true instant, such as the crossing, to the receipt by the server.
  package var latency = SecondsSpread()
  /// The part of the latency until the callback of the system.
  package var system = SecondsSpread()
  /// The part from the callback until the first request that had a network.
  package var phone = SecondsSpread()
  /// The part from that request until the receipt by the server.
  package var server = SecondsSpread()
  /// The number of events by the longest part: `system`, `phone` or `server`.
  package var longestPart: [String: Int] = [:]

  package init() {}

  enum CodingKeys: String, CodingKey {
    case wrong = "false"
    case repeated, offline, failed, unanswered, latency, system, phone, server, longestPart
  }

  package static let head = ["", "events", "mean", "p50", "p95", "p99"]

  package var rows: [[String]] {
    [
      ("crossing to stored", latency), ("until the callback", system),
      ("until a request with a network", phone), ("until stored", server),
    ].map { name, spread in
      [name, Figure.grouped(spread.count)]
        + [spread.mean, spread.p50, spread.p95, spread.p99].map(SecondsSpread.text)
    }
  }

  /// Returns sentences on the ledger, the read-back and the latency.
  package func sentences(
    _ ledger: Account, _ readback: TargetFigures.Readback?
  ) -> [String] {
    let others = [
      ("refused", ledger.refused), ("evicted", ledger.evicted), ("in outboxes", ledger.outbox),
      ("in flight", ledger.inFlight), ("false", wrong), ("repeated", repeated),
    ].filter { $0.1 > 0 }.map { ", \(Figure.grouped($0.1)) \($0.0)" }.joined()
    let counts =
      "\(Figure.grouped(ledger.acknowledged)) of \(Figure.grouped(ledger.generated)) "
      + "acknowledged\(others)"
    let found = readback.map { read in
      let twice = read.twice > 0 ? ", \(Figure.grouped(read.twice)) twice" : ""
      return "\(Figure.grouped(read.confirmed)) of "
        + "\(Figure.grouped(read.confirmed + read.missing)) found on read-back\(twice)"
    }
    guard latency.count > 0 else { return [counts] + (found.map { [$0] } ?? []) }
    let causes = ["system", "phone", "server"].map { part in
      "\(part) \(Figure.percent(Double(longestPart[part] ?? 0) / Double(latency.count)))"
    }
    let (p50, p95) = (SecondsSpread.text(latency.p50), SecondsSpread.text(latency.p95))
    return [counts] + (found.map { [$0] } ?? []) + [
      "crossing to stored p50 \(p50), p95 \(p95); "
        + "longest part: \(causes.joined(separator: ", "))"
    ]
  }
}
