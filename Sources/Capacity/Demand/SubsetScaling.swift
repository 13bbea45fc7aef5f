package import Figures
internal import SimulationCore

/// Computes what N phones ask from what a subset of them asked.
///
/// A rate of the subset times N ÷ subset would keep the subset's chance and magnify it: its busiest
/// second would come out too busy. So every arrival gets its copies, and they are moved by chance
/// within some seconds: the day keeps its shape, and chance is that of N phones. Seconds that
/// chance does not explain are storms, and keep their copies to themselves.
///
/// The busiest moment of many is busy by chance, too, and a subset's chance is larger. How far off
/// that is, the scaling itself tells: what it made is thinned to a subset again and scaled anew
/// (the bootstrap's estimate of a bias; Efron and Tibshirani 1993, chapter 10).
package struct SubsetScaling: Equatable, Sendable {
  /// N ÷ the phones that were lived.
  package let factor: Double
  /// Says how counts of arrivals vary in the subset.
  package let dispersion: Dispersion

  /// What is scaled further says less about its seconds than chance does; a plan says so.
  package static let factorMax = 3.0
  /// Copies lie within so many seconds of what they are copies of; in a storm nearer.
  private static let (reach, stormReach) = (5.0, 0.2)
  /// What a second is set against, seconds to each side, and by how many deviations of chance it
  /// has to stand out to be a storm.
  private static let (neighbours, storm) = (30, 6.0)

  /// Makes a scaling by `factor`, which is at least 1.
  package init(factor: Double, dispersion: Dispersion) {
    precondition(factor >= 1, "a subset is no larger than the whole (factor is \(factor))")
    self.factor = factor
    self.dispersion = dispersion
  }

  /// The arrivals of the whole: those of the subset, and the moved copies.
  package func scaled(_ series: ArrivalSeries, seed: UInt64) -> ArrivalSeries {
    guard factor > 1 else { return series }
    var draw = Draw(seed: seed, phone: .max, .demandCopies)
    var all: [Double] = []
    all.reserveCapacity(Int(Double(series.count) * factor * 1.01))
    let last = max(0, series.seconds - 1e-3)
    let storms = storms(series.counts(every: 1))
    for place in 0..<series.count {
      let second = series.second(place)
      let wanted = factor - 1 + draw.uniform()
      let reach = storms[min(storms.count - 1, Int(second))] ? Self.stormReach : Self.reach
      all.append(second)
      for _ in 0..<Int(wanted) {
        // Back from the ends: copies that were stopped there would be a storm of their own.
        let moved = abs(second + draw.uniform(-reach, reach))
        all.append(max(0, moved > last ? 2 * last - moved : moved))
      }
    }
    all.sort()
    var scaled = ArrivalSeries(seconds: series.seconds)
    for second in all { scaled.add(second) }
    return scaled
  }

  /// How many times too high each figure of the whole comes out.
  ///
  /// - Parameters:
  ///   - found: the figures of `whole`.
  ///   - whole: as `scaled` made it.
  ///   - figures: those of another series.
  /// - Returns: all positive; 1 where a subset would have had nothing to tell by.
  package func bias(
    of found: [Double], in whole: ArrivalSeries, seed: UInt64,
    _ figures: (ArrivalSeries) -> [Double]
  ) -> [Double] {
    guard factor > 1, whole.count > 0 else { return found.map { _ in 1 } }
    // A day of a million phones takes seconds a round.
    let rounds = min(Self.rounds, max(1, Self.arrivalsMax / UInt64(whole.count)))
    var sums = found.map { _ in 0.0 }
    for round in 0..<rounds {
      let again = figures(scaled(thinned(whole, seed: seed, round: round), seed: seed &+ round))
      for (place, value) in again.enumerated() { sums[place] += value / found[place] }
    }
    return sums.map { $0 > 0 ? $0 / Double(rounds) : 1 }
  }

  /// Each arrival stays by the chance that its phone is one of a subset.
  private func thinned(_ whole: ArrivalSeries, seed: UInt64, round: UInt64) -> ArrivalSeries {
    var draw = Draw(seed: seed, phone: .max, .demandThinning, Int64(round))
    var subset = ArrivalSeries(seconds: whole.seconds)
    for place in 0..<whole.count where draw.uniform() * factor < 1 {
      subset.add(whole.second(place))
    }
    return subset
  }

  /// Whether each second has more arrivals than its neighbours and chance explain.
  private func storms(_ counts: [Int]) -> [Bool] {
    // Sorted, and kept so: a day has 86,400 such windows, each one second on.
    var around = counts.prefix(Self.neighbours).sorted()
    return counts.indices.map { second in
      let (coming, gone) = (second + Self.neighbours, second - Self.neighbours - 1)
      if coming < counts.count {
        around.insert(counts[coming], at: around.place(of: counts[coming]))
      }
      if gone >= 0 { around.remove(at: around.place(of: counts[gone])) }
      // Their median: a storm of some seconds is not to hide itself.
      let usual = Double(around[around.count / 2])
      let spread = max(1, dispersion.own * usual).squareRoot()
      return Double(counts[second]) > usual + Self.storm * spread
    }
  }

  /// How far the rate of a window may be off that so many arrivals of the whole fall in: their own
  /// chance, and that of the subset, magnified.
  package func interval(_ rate: Double, arrivals: Double) -> Ratio {
    guard factor > 1, arrivals > 0 else { return Ratio(value: rate, low: rate, high: rate) }
    let variance =
      dispersion.own * arrivals * (1 + factor) + dispersion.shared * arrivals * arrivals
    let off = min(1, Self.quantile * variance.squareRoot() / arrivals)
    return Ratio(value: rate, low: rate * (1 - off), high: rate * (1 + off))
  }

  private static let (rounds, arrivalsMax): (UInt64, UInt64) = (5, 20_000_000)
  /// Of 95 %, both sides.
  private static let quantile = 1.96
}

extension [Int] {
  /// The index of the first of the sorted values that is not less than this one.
  fileprivate func place(of value: Int) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
