/// How counts of arrivals vary from one world to the next: Var = a N + b N².
///
/// `a` is what phones do each for itself (1: like rain), `b` what they do together, since a sweep,
/// an outage or a full hour is the same for all. Told apart by groups of phones that share the
/// events: what two groups have in common in a stretch of time is b, the rest is a.
package struct Dispersion: Equatable, Sendable, Codable {
  /// Is a, the variance that phones cause each for itself, over the mean; 1 for a Poisson process.
  package var own: Double
  /// Is b, the relative variance that all phones share; 0: none was found.
  package var shared: Double

  /// Makes a dispersion from a and b.
  package init(own: Double, shared: Double) {
    self.own = own
    self.shared = shared
  }

  /// - Parameter groups: arrivals of each group of phones in each stretch of time.
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
      // The day's own rise and fall is no chance: neighbours take it out.
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

  /// The variance of x₁ − (x₀ + x₂)/2, in variances of one x.
  private static let neighbours = 1.5

  /// Returns the variance of a count whose mean is `count`: a N + b N².
  package func variance(_ count: Double) -> Double { own * count + shared * count * count }
}
