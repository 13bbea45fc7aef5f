/// What a search asks of settings: figures to make as large or as small as can be, and bounds
/// for others.
package struct TuneQuestion: Equatable, Sendable, Codable {
  package enum Direction: String, Sendable, Codable {
    case maximize, minimize
  }

  /// A figure that is to be as large, or as small, as can be.
  package struct Goal: Equatable, Sendable, Codable {
    /// The place of the figure in an evaluation.
    package var figure: Int
    package var direction: Direction

    package init(figure: Int, direction: Direction) {
      self.figure = figure
      self.direction = direction
    }
  }

  /// A bound that a figure must keep.
  package struct Bound: Equatable, Sendable, Codable {
    /// The place of the figure in an evaluation.
    package var figure: Int
    /// The least, or the greatest, value that is allowed, in the figure's unit.
    package var limit: Double
    /// Whether the figure may not be greater; else it may not be less.
    package var isUpper: Bool

    package init(figure: Int, limit: Double, isUpper: Bool) {
      self.figure = figure
      self.limit = limit
      self.isUpper = isUpper
    }

    /// The distance beyond the bound, as a share of it; 0 where it is kept.
    package func excess(of value: Double) -> Double {
      let over = isUpper ? value - limit : limit - value
      guard over > 0 else { return 0 }
      return over / max(abs(limit), 1e-9)
    }
  }

  /// What is to be best; the first decides who wins. At least one.
  package var goals: [Goal]
  /// What must be kept.
  package var bounds: [Bound]

  package init(goals: [Goal], bounds: [Bound]) {
    precondition(!goals.isEmpty, "a search needs something to be best")
    self.goals = goals
    self.bounds = bounds
  }

  /// The figures that make a setting good in more than one way: goals, and what bounds are
  /// about, each with the direction in which it is better. Each figure once.
  package var ways: [Goal] {
    var ways = goals
    for bound in bounds where !ways.contains(where: { $0.figure == bound.figure }) {
      ways.append(Goal(figure: bound.figure, direction: bound.isUpper ? .minimize : .maximize))
    }
    return ways
  }

  /// The total distance beyond all bounds; 0 where all are kept.
  package func excess(of values: [Double]) -> Double {
    bounds.reduce(0) { $0 + $1.excess(of: values[$1.figure]) }
  }

  /// Whether values are at least as good in each way, and better in one.
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

  /// The layers of the Pareto front, as indices of `all` in order: those dominated by none, then
  /// those dominated only by earlier layers.
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

/// What was found at one candidate: for each figure two sums over each block of phones, whose
/// quotient over all blocks is the figure.
package struct TuneEvaluation: Equatable, Sendable {
  /// A row for each block: of each figure in turn what is counted, and over what.
  package var rows: [Double]

  package init(rows: [Double]) { self.rows = rows }
}
