package import Core

/// The kept fixes by source, with their errors. Apps never learn the source (SL6).
package struct FixSources: Codable, Equatable, Sendable {
  /// The counts by source, and within a source by the buckets of `ErrorScale`.
  private var counts = [Int](
    repeating: 0, count: FixSource.allCases.count * ErrorScale.buckets)

  package init() {}

  package mutating func add(_ source: FixSource, offMeters meters: Double) {
    counts[Int(source.rawValue) * ErrorScale.buckets + ErrorScale.bucket(meters: meters)] += 1
  }

  package mutating func merge(_ other: FixSources) {
    for k in counts.indices { counts[k] += other.counts[k] }
  }

  package subscript(_ source: FixSource) -> Int { buckets(source).reduce(0, +) }

  package var sum: Int { counts.reduce(0, +) }

  /// Returns the quantile of the errors in metres; nil without fixes of this source.
  package func errorMeters(_ source: FixSource, _ share: Double) -> Double? {
    guard self[source] > 0 else { return nil }
    return ErrorScale.quantile(share, buckets(source).map { Double($0) }[...])
  }

  private func buckets(_ source: FixSource) -> ArraySlice<Int> {
    let begin = Int(source.rawValue) * ErrorScale.buckets
    return counts[begin..<begin + ErrorScale.buckets]
  }
}
