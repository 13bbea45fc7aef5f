/// The question of a search: figures to maximise or minimise, and the bounds of other figures.
package struct TuneQuestion: Equatable, Sendable, Codable {
  package enum Direction: String, Sendable, Codable {
    case maximize, minimize
  }

  package struct Goal: Equatable, Sendable, Codable {
    package var figure: Int
    package var direction: Direction

    package init(figure: Int, direction: Direction) {
      self.figure = figure
      self.direction = direction
    }
  }

  package struct Bound: Equatable, Sendable, Codable {
    package var figure: Int
    package var limit: Double
    package var isUpper: Bool

    package init(figure: Int, limit: Double, isUpper: Bool) {
      self.figure = figure
      self.limit = limit
      self.isUpper = isUpper
    }

    /// Returns how far `value` is beyond the bound, as a share of the limit; 0 for a kept bound.
    package func excess(of value: Double) -> Double {
      let over = isUpper ? value - limit : limit - value
      guard over > 0 else { return 0 }
      return over / max(abs(limit), 1e-9)
    }
  }

  /// The goals, at least one; the first decides the winner.
  package var goals: [Goal]
  package var bounds: [Bound]

  package init(goals: [Goal], bounds: [Bound]) {
    precondition(!goals.isEmpty, "a search needs a goal")
    self.goals = goals
    self.bounds = bounds
  }

  /// The goals, then the bounded figures, each once and with its better direction.
  package var ways: [Goal] {
    var ways = goals
    for bound in bounds where !ways.contains(where: { $0.figure == bound.figure }) {
      ways.append(Goal(figure: bound.figure, direction: bound.isUpper ? .minimize : .maximize))
    }
    return ways
  }

  /// Returns how far `values` are beyond all bounds together; 0 if they keep all bounds.
  package func excess(of values: [Double]) -> Double {
    bounds.reduce(0) { $0 + $1.excess(of: values[$1.figure]) }
  }

  /// Returns whether `values` are at least as good as `others` in each way and better in one.
  package func dominates(_ values: [Double], _ others: [Double]) -> Bool {
    var isBetter = false
    for way in ways {
      let sign = way.direction == .maximize ? 1.0 : -1
      let gain = sign * (values[way.figure] - others[way.figure])
      if gain < 0 { return false }
      if gain > 0 { isBetter = true }
    }
    return isBetter
  }

  /// Returns Pareto layers of `all`, as indices: nothing dominates a layer but earlier layers.
  package func layers(_ all: [[Double]]) -> [[Int]] {
    var left = Array(all.indices)
    var layers: [[Int]] = []
    while !left.isEmpty {
      let front = left.filter { one in
        !left.contains { dominates(all[$0], all[one]) }
      }
      layers.append(front)
      left.removeAll { front.contains($0) }
    }
    return layers
  }
}

/// The result of one candidate. A figure is a ratio: each block of phones has a sum for its
/// numerator and one for its denominator, and the figure divides the totals over all blocks.
package struct TuneEvaluation: Equatable, Sendable {
  /// One row per block: a numerator and a denominator for each figure in turn.
  package var rows: [Double]

  package init(rows: [Double]) { self.rows = rows }
}
