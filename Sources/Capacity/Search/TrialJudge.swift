internal import Core

/// Judges whether the server carried a trial, and whether the generator kept its plan.
package struct TrialJudge: Equatable, Sendable {
  package struct Second: Equatable, Sendable {
    /// The number of batches whose intended time is in the second.
    package var offered: Int
    package var acknowledged: Int
    /// The number of batches that were refused, timed out or lost.
    package var unserved: Int
    /// The number of batches acknowledged in the second, but later than the limit.
    package var late: Int

    package init(offered: Int, acknowledged: Int, unserved: Int, late: Int) {
      self.offered = offered
      self.acknowledged = acknowledged
      self.unserved = unserved
      self.late = late
    }
  }

  package let latencyLimitMicroseconds: Double
  /// The greatest loss ratio of a good trial or second, 0 ... 1.
  package let lossRatio: Double

  package static let goodSecondsMin = 0.9
  /// The tolerated growth of the number in flight per second, as a share of the load.
  package static let backlogGrowthMax = 0.01
  /// The tolerated lag as a share of the latency limit, and the least offered share of the load.
  package static let (lagShareMax, offeredShareMin) = (0.05, 0.99)

  /// The utilisation of its core from which a generator cannot be punctual.
  static let coreShareMax = 0.9
  /// The share of its core lost to other machines from which a generator cannot be punctual.
  static let stolenShareMax = 0.05

  package init(latencyLimitMicroseconds: Double, lossRatio: Double) {
    self.latencyLimitMicroseconds = latencyLimitMicroseconds
    self.lossRatio = lossRatio
  }

  /// - Parameter trial: A trial with totals and percentiles, into which the judgement is written.
  package func judge(_ trial: inout TrialRecord, _ seconds: [Second]) {
    let offered = seconds.reduce(0) { $0 + $1.offered }
    let lost = trial.refused + trial.failed + trial.late
    trial.lossRatio = offered > 0 ? Double(lost) / Double(offered) : 1
    let good = seconds.count { second in
      // A second without an ack is bad, unless nothing was offered in it.
      (second.acknowledged > 0 || second.offered == 0)
        && Double(second.late + second.unserved) <= lossRatio * Double(second.offered)
    }
    trial.goodSeconds = seconds.isEmpty ? 0 : Double(good) / Double(seconds.count)
    trial.backlogGrowth = Self.slope(seconds)
    if let why = invalidity(trial) {
      let (resource, words) = Self.shortage(trial)
      trial.invalid = "generator: \(why); \(words)"
      trial.limitedBy = resource
    }
    trial.isHigh =
      trial.lossRatio > lossRatio || trial.goodSeconds < Self.goodSecondsMin
      || trial.backlogGrowth > Self.backlogGrowthMax * trial.load
  }

  /// Returns the allowed p99 lag in microseconds: at least 1 ms, since less is hardly possible.
  package static func lagMax(of latencyLimitMicroseconds: Double) -> Double {
    max(lagShareMax * latencyLimitMicroseconds, 1_000)
  }

  /// Returns why the generator spoiled a trial: its lag would count as the server's. nil if valid.
  private func invalidity(_ trial: TrialRecord) -> String? {
    if let lag = trial.lagP99Microseconds, lag > Self.lagMax(of: latencyLimitMicroseconds) {
      return "send lag p99 \(Int(lag)) µs"
    }
    let share = trial.offeredPerSecond / max(trial.load, 1e-9)
    // Allows for chance: the number of random arrivals varies by its square root.
    let chance = 3 / max(1, trial.load * trial.seconds).squareRoot()
    if share < Self.offeredShareMin - chance {
      return "offered \(Int(share * 100)) % of the planned load"
    }
    return nil
  }

  private static func shortage(_ trial: TrialRecord) -> (resource: TrialRecord.Resource, String) {
    let busy = Figure.percent(trial.generatorCores)
    if trial.generatorCores >= coreShareMax { return (.core, "its core is saturated, \(busy)") }
    if let stolen = trial.stolenShare, stolen >= stolenShareMax {
      return (.stolenTime, "\(Figure.percent(stolen)) of its core was stolen")
    }
    return (.pauses, "it was not scheduled, its core \(busy) busy")
  }

  /// Returns the least-squares slope of the batches in flight at the end of each second.
  private static func slope(_ seconds: [Second]) -> Double {
    guard seconds.count > 1 else { return 0 }
    var held = 0.0
    var (sum, weighted) = (0.0, 0.0)
    let middle = Double(seconds.count - 1) / 2
    var squares = 0.0
    for (place, second) in seconds.enumerated() {
      held += Double(second.offered - second.acknowledged - second.unserved)
      let x = Double(place) - middle
      sum += held
      weighted += x * held
      squares += x * x
    }
    return weighted / squares
  }
}
