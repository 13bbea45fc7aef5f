/// The variance of arrival counts between seeds: Var = a N + b N². The independent behaviour of
/// phones causes `a`. Shared events cause `b`, which the covariance of groups of phones gives.
package struct Dispersion: Equatable, Sendable, Codable {
  /// The factor a, the independent variance ÷ the mean: 1 for a Poisson process.
  package var own: Double
  /// The factor b, the relative variance that all phones share: 0 if none was found.
  package var shared: Double

  package init(own: Double, shared: Double) {
    self.own = own
    self.shared = shared
  }

  package init(groups: [[Int]]) {
    let counts = groups.map { $0.map(Double.init) }
    let stretches = counts.map(\.count).min() ?? 0
    guard groups.count > 1, stretches > 2 else {
      self.init(own: 1, shared: 0)
      return
    }
    var within = 0.0
    var across = 0.0
    var sum = 0.0
    var squares = 0.0
    var products = 0.0
    for at in 1..<(stretches - 1) {
      // Subtracts the mean of the two neighbours, as the rise and fall of a day is not random.
      let rest = counts.map { $0[at] - ($0[at - 1] + $0[at + 1]) / 2 }
      let here = counts.map { $0[at] }
      let total = rest.reduce(0, +)
      let own = rest.reduce(0) { $0 + $1 * $1 }
      within += own / Self.neighbours
      across += (total * total - own) / Self.neighbours
      let all = here.reduce(0, +)
      let square = here.reduce(0) { $0 + $1 * $1 }
      sum += all
      squares += square
      products += all * all - square
    }
    let b = products > 0 ? max(0, across / products) : 0
    self.init(own: sum > 0 ? max(0, (within - b * squares) / sum) : 1, shared: b)
  }

  /// The variance of x₁ − (x₀ + x₂)/2, as a multiple of the variance of x.
  private static let neighbours = 1.5

  /// Returns the variance a N + b N² of a count whose mean is N = `count`.
  package func variance(_ count: Double) -> Double { own * count + shared * count * count }
}
