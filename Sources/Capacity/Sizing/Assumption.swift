package import Core

/// A number that was neither measured nor simulated, with its range.
package struct Assumption: Equatable, Sendable, Codable {
  package var name: String
  package var value: Double
  package var low: Double
  package var high: Double
  package var unit: String
  package var source: String

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

/// A Latin hypercube: each dimension is cut into as many strips as there are points, and each strip
/// holds one point (McKay, Beckman, Conover, Technometrics 21, 1979).
package struct LatinHypercube: Equatable, Sendable {
  /// The points: one row per point and one column per dimension, with values in 0 ..< 1.
  package let points: [[Double]]

  /// Draws the points. Equal seeds and purposes give equal points.
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

  package static func values(_ assumptions: [Assumption], at point: [Double]) -> [Double] {
    zip(assumptions, point).map { $0.low + ($0.high - $0.low) * $1 }
  }
}
