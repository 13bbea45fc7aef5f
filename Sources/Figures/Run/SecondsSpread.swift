package import Core

/// The distribution of a time, in seconds; a percentile with too few events is null.
package struct SecondsSpread: Equatable, Sendable, Codable {
  package var count = 0
  @Nullable package var mean: Double?
  @Nullable package var p50: Double?
  @Nullable package var p95: Double?
  @Nullable package var p99: Double?

  package init() {}

  /// - Parameter milliseconds: a histogram in milliseconds.
  package init(milliseconds: Histogram) {
    func seconds(_ share: Double) -> Double? {
      milliseconds.percentile(share).microseconds.map {
        Double(min($0, milliseconds.max ?? $0)) / 1_000
      }
    }
    count = milliseconds.total
    mean = milliseconds.mean.map { $0 / 1_000 }
    (p50, p95, p99) = (seconds(0.5), seconds(0.95), seconds(0.99))
  }

  static func text(_ seconds: Double?) -> String {
    seconds.map { Figure.time($0 * 1e6) } ?? "—"
  }
}
