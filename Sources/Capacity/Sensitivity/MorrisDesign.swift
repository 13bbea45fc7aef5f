internal import Core

/// The points of a radial Morris screening: stars in the unit cube, each with a base and one step
/// along every axis. Levels and steps follow Morris (Technometrics 33, 1991). Stars follow
/// Campolongo, Saltelli and Cariboni (Computer Physics Communications 182, 2011): shortening a
/// refused step affects no other step. Bases lie far apart, as proposed by Campolongo, Cariboni and
/// Saltelli (Environmental Modelling & Software 22, 2007).
package struct MorrisDesign: Equatable, Sendable {
  package static let levels = 4
  /// The length of a step as a share of the range: p / (2 (p − 1)) with p levels.
  package static let step = 2.0 / 3
  private static let candidates = 20

  /// The bases: one row per star and one column per parameter, with each value on a level.
  package let bases: [[Double]]

  /// - Parameter stars: At least 1. For each parameter, all levels are as frequent, give or take 1.
  package init(stars: Int, dimensions: Int, seed: UInt64) {
    precondition(stars > 0, "a design has a star")
    var best: [[Double]] = []
    var farthest = -1.0
    for number in 0..<Self.candidates {
      var draw = Draw(seed: seed, phone: .max, .morrisBases, Int64(number))
      let bases = Self.bases(stars, dimensions, &draw)
      let distance = Self.leastDistance(bases)
      if distance > farthest { (best, farthest) = (bases, distance) }
    }
    bases = best
  }

  private static func bases(_ stars: Int, _ dimensions: Int, _ draw: inout Draw) -> [[Double]] {
    var columns: [[Double]] = []
    for _ in 0..<dimensions {
      let first = draw.unit(of: levels)
      var column = (0..<stars).map { Double((first + $0) % levels) / Double(levels - 1) }
      column.shuffle(using: &draw)
      columns.append(column)
    }
    return (0..<stars).map { star in columns.map { $0[star] } }
  }

  private static func leastDistance(_ bases: [[Double]]) -> Double {
    var least = Double.infinity
    for a in bases.indices {
      for b in bases.indices where b > a {
        let distance = zip(bases[a], bases[b]).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
        least = min(least, distance)
      }
    }
    return least
  }

  /// Returns the end of a step that begins at `place`: up if the step fits, else down. If neither
  /// fits, because a scenario moved the base off the levels, returns the farther end of the range.
  package static func end(from place: Double) -> Double {
    let slack = 1e-9
    if place + step <= 1 + slack { return min(1, place + step) }
    if place - step >= -slack { return max(0, place - step) }
    return place > 0.5 ? 0 : 1
  }
}

/// The effects of a parameter on a figure: the figure's change ÷ the step's share of the range.
package struct ElementaryEffects: Equatable, Sendable {
  /// The effects in the figure's unit, extrapolated to the whole range.
  package private(set) var values: [Double] = []

  package init() {}

  /// Adds the effect of a step that changed a figure from `base` to `moved`; ignores empty steps.
  package mutating func add(from: Double, to: Double, base: Double, moved: Double) {
    guard from != to else { return }
    values.append((moved - base) / (to - from))
  }

  /// μ, the mean effect, in which opposite signs cancel; nil without values.
  package var mean: Double? { mean(of: values) }
  /// μ*, the mean absolute effect (Campolongo et al. 2007); nil without values.
  package var meanAbsolute: Double? { mean(of: values.map(abs)) }
  /// σ, the spread: high for nonlinear or interacting effects. nil for fewer than two values.
  package var deviation: Double? {
    guard values.count > 1, let mean else { return nil }
    let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return (squares / Double(values.count - 1)).squareRoot()
  }

  private func mean(of values: [Double]) -> Double? {
    values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
  }
}
