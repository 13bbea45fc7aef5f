internal import Core

/// Chains that walk at random through the plausible part of the unit cube, when only a costly
/// simulation can say whether a place is plausible.
///
/// A chain takes a step if its end is plausible, and stays otherwise, so that it visits all
/// plausible places equally often (Metropolis). Steps are differences of two places that no wave
/// rules out, in some of the coordinates (Vrugt and others, International Journal of Nonlinear
/// Sciences and Numerical Simulation 10, 2009). Ends that a wave rules out need no simulation
/// (Christen and Fox, Journal of Computational and Graphical Statistics 14, 2005).
package struct PlausibleWalk: Sendable {
  /// The different plausible places in the order of their visits.
  package private(set) var visited: [[Double]]
  private var chains: [[Double]]
  private var ends: [[Double]] = []
  private let space: [[Double]]
  private let waves: [MatchWave]
  private var draw: Draw

  /// The shares of coordinates that a step changes.
  private static let shares = [1, 0.3, 0.1]
  private static let triesMax = 10_000

  /// - Parameters:
  ///   - starts: plausible places; at least one.
  ///   - chains: the number of chains, which begin at the starts in turn.
  ///   - space: places that no wave rules out.
  package init(
    from starts: [[Double]], chains: Int, _ space: [[Double]], _ waves: [MatchWave]
  ) {
    visited = starts
    self.chains = (0..<chains).map { starts[$0 % starts.count] }
    (self.space, self.waves) = (space, waves)
    draw = Draw(seed: 0, phone: .max - 1, .plausibleSpace)
  }

  /// Returns the next place of each chain to simulate: the end of its first step that no wave rules
  /// out. A chain without such a step in many tries has its own place.
  package mutating func steps() -> [[Double]] {
    ends = chains.map { place in
      for _ in 0..<Self.triesMax {
        let end = step(from: place)
        if end != place, waves.allSatisfy({ $0.isPlausible(end) }) { return end }
      }
      return place
    }
    return ends
  }

  private mutating func step(from place: [Double]) -> [Double] {
    let share = Self.shares[draw.unit(of: Self.shares.count)]
    let (one, other) = (space[draw.unit(of: space.count)], space[draw.unit(of: space.count)])
    let changed = place.indices.filter { _ in draw.chance(share) }
    // The best length of a step in n coordinates if the plausible part is a bell.
    let length = 2.38 / (2 * Double(max(changed.count, 1))).squareRoot()
    var end = place
    for i in changed {
      end[i] += length * (one[i] - other[i])
      // The part ends at the ends of the ranges.
      if !(0...1).contains(end[i]) { return place }
    }
    return end
  }

  /// Takes the steps whose ends are plausible.
  package mutating func take(_ isPlausible: [Bool]) {
    for (chain, end) in ends.enumerated() where isPlausible[chain] && end != chains[chain] {
      chains[chain] = end
      if !visited.contains(end) { visited.append(end) }
    }
  }
}
