package import Core

/// A Prometheus metric, named by Prometheus' rules: a prefix, a base unit, and `_total` for
/// counters. Phone IDs are never labels, since a million phones would make a million series.
package struct Metric: Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    /// A count that only grows, except that a new run may reset it to 0.
    case counter
    case gauge
    /// The value is always 1; the labels carry the information.
    case info
    case histogram
  }
  package let name: String
  package let kind: Kind
  package let help: String
  package let labels: [String]

  package init(_ name: String, _ kind: Kind, _ help: String, labels: [String] = []) {
    self.name = name
    self.kind = kind
    self.help = help
    self.labels = labels
  }

  /// Returns the name without a suffix.
  func stem(_ suffix: String) -> String { Self.stem(of: name, suffix) }

  static func stem(of name: String, _ suffix: String) -> String {
    name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : name
  }
}

/// A metric with its values.
package struct MetricFamily: Equatable, Sendable {
  package struct Sample: Equatable, Sendable {
    /// A value for each label of the metric.
    let labels: [String]
    let value: Double
  }

  package enum Values: Equatable, Sendable {
    case samples([Sample])
    case histogram(BucketCounts)
  }

  package let metric: Metric
  package let values: Values
}

/// A histogram in Prometheus' form, with the number of values up to each bound.
package struct BucketCounts: Equatable, Sendable {
  /// The bounds of a server in microseconds, in steps of a factor of about 2.5. A durable
  /// acknowledgement takes milliseconds, and phones time out beyond the last bound.
  package static let ofServer: [Int64] = [
    100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000,
    1_000_000, 2_500_000,
  ]
  /// The same for requests that a client times, over networks and up to their timeout.
  package static let ofClient: [Int64] =
    [1_000, 2_500] + ofServer.filter { $0 >= 5_000 } + [5_000_000, 10_000_000, 30_000_000]

  package let bounds: [Int64]
  package private(set) var cumulative: [UInt64]
  package private(set) var count: UInt64
  package private(set) var sumMicroseconds: Int64

  package init(_ histogram: Histogram, bounds: [Int64] = Self.ofServer) {
    self.bounds = bounds
    cumulative = histogram.cumulative(upTo: bounds)
    count = UInt64(histogram.count)
    sumMicroseconds = histogram.sum
  }

  package mutating func add(_ histogram: Histogram) {
    let more = BucketCounts(histogram, bounds: bounds)
    cumulative = zip(cumulative, more.cumulative).map { $0 + $1 }
    count += more.count
    sumMicroseconds += more.sumMicroseconds
  }
}
