package import Core

/// Extrapolates the demand of N phones from a subset by copying every arrival. Each copy moves at
/// random by up to 5 s, or in a storm by up to 0.2 s. The bias of maxima is estimated by thinning
/// and scaling the scaled arrivals again (Efron and Tibshirani 1993, chapter 10).
package struct SubsetScaling: Equatable, Sendable {
  /// The number of phones N ÷ the number of simulated phones.
  package let factor: Double
  package let dispersion: Dispersion

  /// The factor above which single seconds are mostly noise, and a plan warns.
  package static let factorMax = 3.0
  /// The greatest shift of a copy in seconds, outside and inside a storm.
  private static let (reach, stormReach) = (5.0, 0.2)
  /// The seconds on each side of a second that count as its neighbours, and the number of standard
  /// deviations above their median from which a second is part of a storm.
  private static let (neighbours, storm) = (30, 6.0)

  /// - Parameter factor: At least 1.
  package init(factor: Double, dispersion: Dispersion) {
    precondition(factor >= 1, "a subset is no larger than the whole (factor is \(factor))")
    self.factor = factor
    self.dispersion = dispersion
  }

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
        // Reflects copies at both ends of the series: clamped copies would pile up to a storm.
        let moved = abs(second + draw.uniform(-reach, reach))
        all.append(max(0, moved > last ? 2 * last - moved : moved))
      }
    }
    all.sort()
    var scaled = ArrivalSeries(seconds: series.seconds)
    for second in all { scaled.add(second) }
    return scaled
  }

  /// Returns the factor by which scaling overstates each figure; 1 without arrivals in the subset.
  package func bias(
    of found: [Double], in whole: ArrivalSeries, seed: UInt64,
    _ figures: (ArrivalSeries) -> [Double]
  ) -> [Double] {
    guard factor > 1, whole.count > 0 else { return found.map { _ in 1 } }
    // Limits the rounds, since one round takes seconds for a day of a million phones.
    let rounds = min(Self.rounds, max(1, Self.arrivalsMax / UInt64(whole.count)))
    var sums = found.map { _ in 0.0 }
    for round in 0..<rounds {
      let again = figures(scaled(thinned(whole, seed: seed, round: round), seed: seed &+ round))
      for (place, value) in again.enumerated() { sums[place] += value / found[place] }
    }
    return sums.map { $0 > 0 ? $0 / Double(rounds) : 1 }
  }

  private func thinned(_ whole: ArrivalSeries, seed: UInt64, round: UInt64) -> ArrivalSeries {
    var draw = Draw(seed: seed, phone: .max, .demandThinning, Int64(round))
    var subset = ArrivalSeries(seconds: whole.seconds)
    for place in 0..<whole.count where draw.uniform() * factor < 1 {
      subset.add(whole.second(place))
    }
    return subset
  }

  private func storms(_ counts: [Int]) -> [Bool] {
    // The sorted window is updated, not sorted anew, for each of a day's 86,400 seconds.
    var around = counts.prefix(Self.neighbours).sorted()
    return counts.indices.map { second in
      let (coming, gone) = (second + Self.neighbours, second - Self.neighbours - 1)
      if coming < counts.count {
        around.insert(counts[coming], at: around.place(of: counts[coming]))
      }
      if gone >= 0 { around.remove(at: around.place(of: counts[gone])) }
      // Takes the median of the window, so that a storm of some seconds does not hide itself.
      let usual = Double(around[around.count / 2])
      let spread = max(1, dispersion.own * usual).squareRoot()
      return Double(counts[second]) > usual + Self.storm * spread
    }
  }

  /// Returns a rate's 95 % interval from the variance of its window's arrivals and of the scaling.
  package func interval(_ rate: Double, arrivals: Double) -> Ratio {
    guard factor > 1, arrivals > 0 else { return Ratio(value: rate, low: rate, high: rate) }
    let variance =
      dispersion.own * arrivals * (1 + factor) + dispersion.shared * arrivals * arrivals
    let off = min(1, Self.quantile * variance.squareRoot() / arrivals)
    return Ratio(value: rate, low: rate * (1 - off), high: rate * (1 + off))
  }

  private static let (rounds, arrivalsMax): (UInt64, UInt64) = (5, 20_000_000)
  private static let quantile = 1.96
}

extension [Int] {
  fileprivate func place(of value: Int) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
