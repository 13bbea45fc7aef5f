/// A Prometheus metric, named by Prometheus' rules: a prefix, a base unit, and `_total` for
/// counters. Phone IDs are never labels, since a million phones would make a million series.
struct Metric: Equatable, Sendable {
  enum Kind: Equatable, Sendable {
    /// A count that only grows, except that a new run may reset it to 0.
    case counter
    case gauge
    /// The value is always 1; the labels carry the information.
    case info
    case histogram
  }
  let name: String
  let kind: Kind
  let help: String
  let labels: [String]

  init(_ name: String, _ kind: Kind, _ help: String, labels: [String] = []) {
    self.name = name
    self.kind = kind
    self.help = help
    self.labels = labels
  }
}

/// A histogram in Prometheus' form, with the number of values up to each bound.
struct BucketCounts: Equatable, Sendable {
  /// The bounds in microseconds, from 100 µs to 2.5 s in steps of a factor of about 2.5. A durable
  /// acknowledgement takes milliseconds, and phones time out beyond the last bound.
  static let bounds: [Int64] = [
    100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000,
    1_000_000, 2_500_000,
  ]
  var cumulative: [UInt64]
  var count: UInt64
  var sumMicroseconds: Int64
}
