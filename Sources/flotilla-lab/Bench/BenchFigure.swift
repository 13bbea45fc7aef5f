internal import Core

/// The summary of a figure's samples, without a mean, which one disturbed round would move.
package struct BenchFigure: Equatable, Sendable, Encodable {
  package var median: Double
  package var min: Double
  package var max: Double

  /// - Parameter samples: at least one; of an even number the lower middle one is the median.
  package init(_ samples: [Double]) {
    precondition(!samples.isEmpty, "a figure needs a sample")
    median = samples.median(.inverse) ?? .nan
    min = samples.min() ?? .nan
    max = samples.max() ?? .nan
  }
}
