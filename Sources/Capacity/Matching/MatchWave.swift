internal import Core

/// The targets and emulators of one wave of history matching.
package struct MatchWave: Sendable {
  package struct Output: Sendable {
    let target: MatchTarget
    let emulator: Emulator
    /// The variance of the simulated figure at one point, over seeds and phones.
    let spread: Double

    package init(_ target: MatchTarget, _ emulator: Emulator, spread: Double = 0) {
      (self.target, self.emulator, self.spread) = (target, emulator, spread)
    }

    package func implausibility(at point: [Double]) -> Double {
      target.implausibility(of: emulator.mean(at: point), variance: emulator.variance + spread)
    }
  }

  /// The outputs of each target. A target with several outputs is met if any output meets it.
  package let targets: [[Output]]

  package init(_ targets: [[Output]]) { self.targets = targets }

  /// Returns the implausibility of each target at a point.
  package func implausibilities(at point: [Double]) -> [Double] {
    targets.map { outputs in outputs.map { $0.implausibility(at: point) }.min() ?? 0 }
  }

  package func isPlausible(_ point: [Double]) -> Bool {
    MatchTarget.combined(implausibilities(at: point)) <= MatchTarget.cutoff
  }
}

/// The part of the unit cube that no wave rules out, as points drawn evenly from it.
///
/// The method is subset simulation (Au and Beck, Probabilistic Engineering Mechanics 16, 2001). A
/// population of points walks at random below a level of implausibility. The level falls step by
/// step to the population's median, down to the cut-off. Each step halves the part, so a part of a
/// millionth takes twenty steps.
package struct PlausibleSpace: Sendable {
  /// The drawn points; empty if everything is ruled out.
  package private(set) var points: [[Double]] = []
  /// The share of the cube that is not ruled out; 0 if everything is ruled out.
  package private(set) var share = 0.0
  /// The least implausibility of each target in the last wave, over all points visited.
  package private(set) var least: [Double]

  private static let population = 1_000
  private static let moves = 8
  private static let lastMoves = 40
  private static let levelsMax = 60
  private static let stallsMax = 4

  private struct Member {
    var place: [Double]
    var worst: Double
  }

  package init(_ waves: [MatchWave], dimensions: Int, points wanted: Int, seed: UInt64) {
    least = [Double](repeating: .infinity, count: waves.last?.targets.count ?? 0)
    var draw = Draw(seed: seed, phone: .max, .plausibleSpace)
    let size = max(Self.population, wanted)
    var members = (0..<size).map { _ in
      member((0..<dimensions).map { _ in draw.uniform() }, waves)
    }
    var (part, level, stalls) = (1.0, Double.infinity, 0)
    for _ in 0..<Self.levelsMax {
      members.sort { $0.worst < $1.worst }
      let middle = members[size / 2].worst
      let finite = members.last { $0.worst.isFinite }?.worst ?? .infinity
      let next = max(MatchTarget.cutoff, min(middle, finite))
      let kept = Array(members.prefix { $0.worst <= next })
      stalls = next < level * 0.999 ? 0 : stalls + 1
      guard !kept.isEmpty, stalls <= Self.stallsMax else { return }
      part *= Double(kept.count) / Double(size)
      level = next
      let isLast = level <= MatchTarget.cutoff
      for number in members.indices {
        var walker = kept[number % kept.count]
        for _ in 0..<(isLast ? Self.lastMoves : Self.moves) {
          let tried = member(Self.moved(walker.place, &draw), waves)
          if tried.worst <= level { walker = tried }
        }
        members[number] = walker
      }
      guard isLast else { continue }
      share = part
      points = members.prefix(wanted).map(\.place)
      return
    }
  }

  private mutating func member(_ place: [Double], _ waves: [MatchWave]) -> Member {
    var worst = 0.0
    for (number, wave) in waves.enumerated() {
      let all = wave.implausibilities(at: place)
      worst = max(worst, MatchTarget.combined(all))
      guard number == waves.count - 1 else { continue }
      for (target, one) in all.enumerated() { least[target] = min(least[target], one) }
    }
    return Member(place: place, worst: worst)
  }

  /// Returns the point after a random step in one coordinate or more. The step back is as likely.
  private static func moved(_ place: [Double], _ draw: inout Draw) -> [Double] {
    guard !place.isEmpty else { return place }
    var moved = place
    let first = draw.unit(of: place.count)
    let step = [0.3, 0.1, 0.03][draw.unit(of: 3)]
    for i in place.indices where i == first || draw.chance(1 / Double(place.count)) {
      // The ends of the range reflect the step.
      let end = abs(moved[i] + step * draw.normal()).truncatingRemainder(dividingBy: 2)
      moved[i] = end > 1 ? 2 - end : end
    }
    return moved
  }

  /// Returns the 5th and 95th percentiles of a coordinate; nil if everything is ruled out.
  package func range(of coordinate: Int) -> (low: Double, high: Double)? {
    let places = points.map { $0[coordinate] }.sorted()
    guard let low = places.sortedQuantile(0.05, .linear),
      let high = places.sortedQuantile(0.95, .linear)
    else { return nil }
    return (low, high)
  }
}
