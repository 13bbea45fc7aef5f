/// One metric as Prometheus knows it: what it is called, what it means, how it is told apart.
///
/// Names follow Prometheus' conventions: a prefix, base units (seconds, bytes, ratios), `_total`
/// for counters. No label ever is a phone's id: a label with a million values is a million series.
struct Metric: Equatable, Sendable {
  enum Kind: Equatable, Sendable {
    /// Only grows while the process lives; a new run may begin it anew.
    case counter
    case gauge
    /// Always 1: its labels are what it says.
    case info
    /// Classic buckets, cumulative.
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

/// A histogram as Prometheus takes it: how many were at most so long.
struct BucketCounts: Equatable, Sendable {
  /// Microseconds: 100 µs to 2.5 s in steps of about 2.5. A durable ack takes milliseconds here;
  /// beyond the last one phones give up.
  static let bounds: [Int64] = [
    100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000,
    1_000_000, 2_500_000,
  ]
  /// One for each of `bounds`: all that were at most so long.
  var cumulative: [UInt64]
  var count: UInt64
  var sumMicroseconds: Int64
}
