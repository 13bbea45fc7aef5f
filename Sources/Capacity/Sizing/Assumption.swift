package import SimulationCore

/// A number that was neither measured nor simulated, with what it may be instead.
package struct Assumption: Equatable, Sendable, Codable {
  /// Is the name that tables and records have for the assumption.
  package var name: String
  /// Is the value that the size is computed with.
  package var value: Double
  /// Is the least that the value may be.
  package var low: Double
  /// Is the greatest that the value may be.
  package var high: Double
  /// Is the unit of the three values, in words.
  package var unit: String
  /// Where it comes from.
  package var source: String

  /// Makes an assumption from its value, its range and its source.
  package init(
    _ name: String, _ value: Double, _ range: ClosedRange<Double>, unit: String, source: String
  ) {
    self.name = name
    self.value = value
    low = range.lowerBound
    high = range.upperBound
    self.unit = unit
    self.source = source
  }
}

/// Points spread over all assumptions at once: each range is cut into as many strips as there are
/// points, and each strip holds one. Better than as many points by chance, and than a grid.
/// (McKay, Beckman, Conover, "A Comparison of Three Methods…", Technometrics 21, 1979.)
package struct LatinHypercube: Equatable, Sendable {
  /// A row a point, a column a dimension; each 0 ..< 1.
  package let points: [[Double]]

  /// Draws `count` points in so many dimensions; equal seeds and purposes give equal points.
  package init(
    points count: Int, dimensions: Int, seed: UInt64, for purpose: Purpose = .sizingHypercube
  ) {
    var draw = Draw(seed: seed, phone: .max, purpose)
    var columns: [[Double]] = []
    for _ in 0..<dimensions {
      var strips = Array(0..<count)
      strips.shuffle(using: &draw)
      columns.append(strips.map { (Double($0) + draw.uniform()) / Double(count) })
    }
    points = (0..<count).map { row in columns.map { $0[row] } }
  }

  /// The values of the assumptions at a point, in their order.
  package static func values(_ assumptions: [Assumption], at point: [Double]) -> [Double] {
    zip(assumptions, point).map { $0.low + ($0.high - $0.low) * $1 }
  }
}
