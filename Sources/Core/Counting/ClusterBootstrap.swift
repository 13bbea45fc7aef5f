/// Resamples phones rather than pushes, since pushes of one phone are correlated. Phones with equal
/// tallies are drawn together as a multinomial, so a million phones take milliseconds.
struct ClusterBootstrap {
  private struct Group {
    var tally: WakeTally
    var phones: Int
    /// The group's share of the phones in this and all later groups: the chance of each draw.
    var share = Share(1)
  }

  let whole: WakeTally
  private var resampled: [WakeTally] = []

  init(_ sizes: [WakeTally: Int], seed: UInt64, resamples: Int) {
    // The groups are sorted, since a dictionary's order changes between processes.
    var groups = sizes.map { Group(tally: $0.key, phones: $0.value) }
      .sorted { WakeTally.precedes($0.tally, $1.tally) }
    whole = groups.reduce(into: WakeTally()) { $0.add($1.tally, times: $1.phones) }
    let phones = groups.reduce(0) { $0 + $1.phones }
    guard phones > 1 else { return }
    var rest = phones
    for n in groups.indices {
      groups[n].share = Share(min(1, Double(groups[n].phones) / Double(rest)))
      rest -= groups[n].phones
    }
    var draw = Draw(seed: seed, phone: .max, .clusterBootstrap)
    resampled.reserveCapacity(resamples)
    for _ in 0..<resamples {
      resampled.append(Self.resample(groups, phones: phones, &draw))
    }
  }

  private static func resample(_ groups: [Group], phones: Int, _ draw: inout Draw) -> WakeTally {
    var sum = WakeTally()
    var open = phones
    for group in groups where open > 0 {
      let drawn = draw.binomial(open, group.share)
      sum.add(group.tally, times: drawn)
      open -= drawn
    }
    return sum
  }

  /// Returns the statistic on all phones, with the 2.5th and 97.5th percentiles of the resamples.
  func ratio(_ statistic: (WakeTally) -> Double?) -> Ratio? {
    guard let value = statistic(whole) else { return nil }
    return Ratio(value, resampled: resampled.compactMap(statistic))
  }
}

struct Share {
  let p: Double
  /// −ln(1 − q), where q is the smaller of p and 1 − p.
  let gap: Double

  init(_ p: Double) {
    self.p = p
    gap = -GapLogarithm.log1p(-(p > 0.5 ? 1 - p : p))
  }
}

extension Draw {
  /// Returns the successes in n trials. Uses the normal approximation if the variance is above 100,
  /// and otherwise counts successes one by one.
  mutating func binomial(_ n: Int, _ share: Share) -> Int {
    let p = share.p
    if p >= 1 { return n }
    if p <= 0 || n == 0 { return 0 }
    let variance = Double(n) * p * (1 - p)
    if variance > 100 {
      let x = (Double(n) * p + variance.squareRoot() * normal()).rounded()
      return min(n, max(0, Int(x)))
    }
    // The loop jumps from one success to the next. The gaps are geometric, and successes are few.
    var successes = 0
    var trial = 0
    while true {
      let gap = -GapLogarithm.log(1 - uniform()) / share.gap
      trial += 1 + Int(min(gap, 1e9))
      if trial > n { return p > 0.5 ? n - successes : successes }
      successes += 1
    }
  }
}
