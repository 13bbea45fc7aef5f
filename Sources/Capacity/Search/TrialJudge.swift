internal import Figures

/// Says of a trial whether the server carried it, and whether the generator kept its plan.
package struct TrialJudge: Equatable, Sendable {
  /// What was counted, second by second.
  package struct Second: Equatable, Sendable {
    /// Counts the batches whose intended time lies in the second.
    package var offered: Int
    /// Counts the batches acknowledged in the second, late ones as well.
    package var acknowledged: Int
    /// Refused, timed out or lost.
    package var unserved: Int
    /// Acknowledged in it, but later than the limit.
    package var late: Int

    /// Makes a second from its four counts.
    package init(offered: Int, acknowledged: Int, unserved: Int, late: Int) {
      self.offered = offered
      self.acknowledged = acknowledged
      self.unserved = unserved
      self.late = late
    }
  }

  /// Is the response beyond which a batch counts as late, in microseconds.
  package let latencyLimitMicroseconds: Double
  /// Is the greatest share of lost batches of a good trial or second, 0 ... 1.
  package let lossRatio: Double

  /// One second in ten may be a bad one.
  package static let goodSecondsMin = 0.9
  /// What is under way may grow by so much of a second's load in each second.
  package static let backlogGrowthMax = 0.01
  /// The generator may be late by this share of the limit, and offer so much less than it meant to.
  package static let (lagShareMax, offeredShareMin) = (0.05, 0.99)

  /// A generator whose core is this busy has no time to be punctual …
  static let coreShareMax = 0.9
  /// … and one that so much of it is taken from cannot.
  static let stolenShareMax = 0.05

  /// Makes a judge from the latency limit in microseconds and the loss ratio that is forgiven.
  package init(latencyLimitMicroseconds: Double, lossRatio: Double) {
    self.latencyLimitMicroseconds = latencyLimitMicroseconds
    self.lossRatio = lossRatio
  }

  /// - Parameter trial: with its totals and percentiles; what is judged of it is filled in.
  package func judge(_ trial: inout TrialRecord, _ seconds: [Second]) {
    let offered = seconds.reduce(0) { $0 + $1.offered }
    let lost = trial.refused + trial.failed + trial.late
    trial.lossRatio = offered > 0 ? Double(lost) / Double(offered) : 1
    let good = seconds.count { second in
      // A second without an ack is a bad one, but for one in which nothing was asked.
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

  /// How late one in a hundred sends may be, microseconds: below a millisecond nobody can do much.
  package static func lagMax(of latencyLimitMicroseconds: Double) -> Double {
    max(lagShareMax * latencyLimitMicroseconds, 1_000)
  }

  /// A generator that was late makes a server look slow.
  private func invalidity(_ trial: TrialRecord) -> String? {
    if let lag = trial.lagP99Microseconds, lag > Self.lagMax(of: latencyLimitMicroseconds) {
      return "late by \(Int(lag)) µs in one of a hundred sends"
    }
    let share = trial.offeredPerSecond / max(trial.load, 1e-9)
    // Arrivals are by chance: their number varies by its root.
    let chance = 3 / max(1, trial.load * trial.seconds).squareRoot()
    if share < Self.offeredShareMin - chance {
      return "offered \(Int(share * 100)) % of what it meant to"
    }
    return nil
  }

  /// What an invalid trial's generator was short of, in words as well.
  private static func shortage(_ trial: TrialRecord) -> (resource: TrialRecord.Resource, String) {
    let busy = Figure.percent(trial.generatorCores)
    if trial.generatorCores >= coreShareMax { return (.core, "its core is used up, \(busy)") }
    if let stolen = trial.stolenShare, stolen >= stolenShareMax {
      return (.stolenTime, "the machine gave \(Figure.percent(stolen)) of its core to others")
    }
    return (.pauses, "it was kept from running, its core \(busy) busy")
  }

  /// Of what is under way at the end of each second, by least squares.
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
