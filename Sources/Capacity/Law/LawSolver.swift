/// Least squares of a scalability law by Levenberg–Marquardt, with α and β in 0 … 1 and γ above 0.
/// A step leaves out a coefficient that it would push out of its bound: real data often has β = 0.
struct LawSolver {
  private let points: [LawFit.Point]

  private static let bounds = [0.0...1, 0.0...1, 0.0...Double.greatestFiniteMagnitude]
  private static let roundsMax = 500

  init(_ points: [LawFit.Point]) { self.points = points }

  /// The start values of R's package `usl`, where γ is the greatest throughput ÷ load of a point.
  var start: ScalabilityLaw {
    ScalabilityLaw(
      alpha: 0.01, beta: 1e-4, gamma: points.map { $0.throughput / $0.load }.max() ?? 1)
  }

  func squares(_ law: ScalabilityLaw) -> Double {
    points.reduce(0) { sum, point in
      let residual = point.throughput - law.throughput(at: point.load)
      return sum + residual * residual
    }
  }

  /// Returns the fitted law; nil if the points do not separate the coefficients.
  func solve(from start: ScalabilityLaw) -> ScalabilityLaw? {
    var law = start
    var squares = squares(law)
    guard squares.isFinite else { return nil }
    var damping = 1e-3
    for _ in 0..<Self.roundsMax {
      let (normal, gradient) = equations(law)
      let free = freeCoefficients(law, gradient)
      guard !free.isEmpty else { return law }
      guard let step = Self.step(normal, gradient, free, damping: damping) else { return nil }
      let next = Self.moved(law, by: step)
      let nextSquares = self.squares(next)
      if nextSquares < squares {
        let gain = (squares - nextSquares) / max(squares, 1e-300)
        (law, squares) = (next, nextSquares)
        damping = max(damping / 10, 1e-15)
        if gain < 1e-15 { return law }
      } else {
        damping *= 10
        // Stops at the minimum, where not even a tiny step reduces the sum of squares.
        if damping > 1e15 { return law }
      }
    }
    return law
  }

  private func equations(_ law: ScalabilityLaw) -> (normal: [[Double]], gradient: [Double]) {
    var normal = [[Double]](repeating: [0, 0, 0], count: 3)
    var gradient = [0.0, 0, 0]
    for point in points {
      let slopes = Self.slopes(law, point.load)
      let residual = point.throughput - law.throughput(at: point.load)
      for i in 0..<3 {
        gradient[i] += slopes[i] * residual
        for j in 0..<3 { normal[i][j] += slopes[i] * slopes[j] }
      }
    }
    return (normal, gradient)
  }

  /// Returns ∂X/∂α, ∂X/∂β and ∂X/∂γ at load `n`.
  private static func slopes(_ law: ScalabilityLaw, _ n: Double) -> [Double] {
    let throughput = law.throughput(at: n)
    let one = n / (1 + law.alpha * (n - 1) + law.beta * n * (n - 1))
    let down = throughput * one / n
    return [-down * (n - 1), -down * n * (n - 1), one]
  }

  private func freeCoefficients(_ law: ScalabilityLaw, _ gradient: [Double]) -> [Int] {
    let values = [law.alpha, law.beta, law.gamma]
    return (0..<3).filter { i in
      !(values[i] <= Self.bounds[i].lowerBound && gradient[i] < 0)
        && !(values[i] >= Self.bounds[i].upperBound && gradient[i] > 0)
    }
  }

  private static func step(
    _ normal: [[Double]], _ gradient: [Double], _ free: [Int], damping: Double
  ) -> [Double]? {
    var matrix = free.map { i in free.map { normal[i][$0] } }
    for i in free.indices { matrix[i][i] *= 1 + damping }
    guard let inverse = SmallMatrix.inverse(matrix) else { return nil }
    var step = [0.0, 0, 0]
    for (row, i) in free.enumerated() {
      step[i] = zip(inverse[row], free).reduce(0) { $0 + $1.0 * gradient[$1.1] }
    }
    return step
  }

  private static func moved(_ law: ScalabilityLaw, by step: [Double]) -> ScalabilityLaw {
    func clipped(_ value: Double, _ i: Int) -> Double {
      min(bounds[i].upperBound, max(bounds[i].lowerBound, value))
    }
    return ScalabilityLaw(
      alpha: clipped(law.alpha + step[0], 0), beta: clipped(law.beta + step[1], 1),
      gamma: clipped(law.gamma + step[2], 2))
  }

  /// Returns standard errors from the curvature at the law; nil for a coefficient on its bound.
  func standardErrors(_ law: ScalabilityLaw, residual: Double) -> [Double?] {
    let (normal, _) = equations(law)
    let values = [law.alpha, law.beta, law.gamma]
    let free = (0..<3).filter { Self.bounds[$0].lowerBound < values[$0] && values[$0] < 1e300 }
    guard let inverse = SmallMatrix.inverse(free.map { i in free.map { normal[i][$0] } }) else {
      return [nil, nil, nil]
    }
    return (0..<3).map { i in
      free.firstIndex(of: i).map { residual * inverse[$0][$0].squareRoot() }
    }
  }
}

enum SmallMatrix {
  /// Inverts a matrix by Gauss–Jordan, after scaling it to a unit diagonal, since α and γ differ by
  /// many powers of ten. Returns nil for a singular matrix.
  static func inverse(_ matrix: [[Double]]) -> [[Double]]? {
    let count = matrix.count
    let scale = (0..<count).map { matrix[$0][$0].squareRoot() }
    guard scale.allSatisfy({ $0 > 0 && $0.isFinite }) else { return nil }
    var rows = (0..<count).map { i in
      (0..<count).map { matrix[i][$0] / (scale[i] * scale[$0]) }
        + (0..<count).map { $0 == i ? 1.0 : 0 }
    }
    for column in 0..<count {
      let best = (column..<count).max { abs(rows[$0][column]) < abs(rows[$1][column]) }
      guard let best, abs(rows[best][column]) > 1e-14 else { return nil }
      rows.swapAt(column, best)
      let pivot = rows[column][column]
      for j in rows[column].indices { rows[column][j] /= pivot }
      for i in 0..<count where i != column {
        let factor = rows[i][column]
        for j in rows[i].indices { rows[i][j] -= factor * rows[column][j] }
      }
    }
    return (0..<count).map { i in
      (0..<count).map { rows[i][count + $0] / (scale[i] * scale[$0]) }
    }
  }
}
