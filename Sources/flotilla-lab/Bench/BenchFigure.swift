internal import Core

/// The summary of a figure's samples, without a mean, which a single disturbed round would shift.
package struct BenchFigure: Equatable, Sendable, Encodable {
  package var median: Double
  package var min: Double
  package var max: Double

  /// - Parameter samples: The samples, at least one. The median of an even number is the lower one.
  package init(_ samples: [Double]) {
    precondition(!samples.isEmpty, "a figure needs a sample")
    median = samples.median(.inverse) ?? .nan
    min = samples.min() ?? .nan
    max = samples.max() ?? .nan
  }
}
