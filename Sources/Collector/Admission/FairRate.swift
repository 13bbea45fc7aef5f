/// Spreads refusals over connections by Approximate Fair Dropping (Pan, Breslau, Prabhakar,
/// Shenker, CCR 2003). Of a connection's `r` calls, min(r, fair) are admitted. `fair` is chosen so
/// that the mean refused share over the recent calls is the share to refuse.
struct FairRate: Sendable {
  /// The number of samples, which are every fourth of the last thousand calls: 20 ms of full load.
  private static let samplesMax = 256
  private static let stride: UInt64 = 4
  private var samples: [Double] = []
  private var next = 0
  /// The number of a connection's recent calls to admit; infinite while no call is refused.
  private(set) var fair = Double.infinity

  mutating func note(_ rate: Double, number: UInt64) {
    guard number % Self.stride == 0 || samples.isEmpty else { return }
    if samples.count < Self.samplesMax {
      samples.append(rate)
    } else {
      samples[next] = rate
      next = (next + 1) % Self.samplesMax
    }
  }

  func chance(of rate: Double) -> Double { rate > fair ? 1 - fair / rate : 0 }

  /// Solves Σ (1 − fair/rᵢ) = share · n over the k rates above `fair`, which gives
  /// fair = (k − share · n) / Σ 1/rᵢ. Takes the smallest k whose next rate is not above `fair`.
  mutating func settle(share: Double) {
    guard share > 0 else {
      fair = .infinity
      return
    }
    guard !samples.isEmpty else {
      fair = 1 - share
      return
    }
    let sorted = samples.sorted(by: >)
    let refused = share * Double(sorted.count)
    var inverses = 0.0
    fair = 0
    for place in sorted.indices {
      inverses += 1 / sorted[place]
      let candidate = (Double(place + 1) - refused) / inverses
      let below = place + 1 < sorted.count ? sorted[place + 1] : 0
      if candidate >= below {
        fair = max(candidate, 0)
        return
      }
    }
  }
}
