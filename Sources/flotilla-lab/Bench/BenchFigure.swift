internal import Core

/// The summary of a figure's samples, without a mean, which is sensitive to a disturbed round.
package struct BenchFigure: Equatable, Sendable, Encodable {
  package var median: Double
  package var min: Double
  package var max: Double

  /// - Parameter samples: at least one; the median of an even number is the lower middle one.
  package init(_ samples: [Double]) {
    precondition(!samples.isEmpty, "a figure needs a sample")
    median = samples.median(.inverse) ?? .nan
    min = samples.min() ?? .nan
    max = samples.max() ?? .nan
  }
}
