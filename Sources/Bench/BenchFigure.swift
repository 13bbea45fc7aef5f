internal import Figures

/// What the samples of a figure come to. A mean is left out on purpose: one disturbed round would
/// move it.
package struct BenchFigure: Equatable, Sendable, Encodable {
  /// Is the median of the samples, in the unit that the figure's name says.
  package var median: Double
  /// Is the smallest sample.
  package var min: Double
  /// Is the largest sample.
  package var max: Double

  /// - Parameter samples: at least one; of an even number the lower middle one is the median.
  package init(_ samples: [Double]) {
    precondition(!samples.isEmpty, "a figure needs a sample")
    median = samples.median(.inverse) ?? .nan
    min = samples.min() ?? .nan
    max = samples.max() ?? .nan
  }
}
