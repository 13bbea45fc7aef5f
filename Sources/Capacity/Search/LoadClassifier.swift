/// The goal of a search for the sustainable load, as in RFC 9971 (MLRsearch).
package struct SearchGoal: Equatable, Sendable, Codable {
  package var finalSeconds: Double
  /// The total seconds of full trials at a load before the load is judged.
  package var sumSeconds: Double
  package var initialSeconds: Double
  /// The greatest share of batches that a good trial loses, 0 ... 1.
  package var lossRatio: Double
  /// The tolerated share of bad trials in the total time of the trials at a load, 0 ... 1.
  package var exceedRatio: Double
  /// The distance between the bounds at which the search ends: upper ÷ lower − 1.
  package var width: Double

  /// By default bad trials may take half of the time, and the bounds may lie 5 % apart.
  package init(
    finalSeconds: Double, sumSeconds: Double, initialSeconds: Double, lossRatio: Double,
    exceedRatio: Double = 0.5, width: Double = 0.05
  ) {
    self.finalSeconds = finalSeconds
    self.sumSeconds = sumSeconds
    self.initialSeconds = initialSeconds
    self.lossRatio = lossRatio
    self.exceedRatio = exceedRatio
    self.width = width
  }
}

package struct TrialOutcome: Equatable, Sendable, Codable {
  package var load: Double
  package var seconds: Double
  /// The share of offered batches that were refused, lost or late, 0 ... 1.
  package var lossRatio: Double
  /// Whether the trial is bad despite few losses: the backlog grew or too few seconds were good.
  package var isBad: Bool
  /// The reason why the generator, not the server, determined the outcome; nil if valid.
  package var invalid: String?

  package init(
    load: Double, seconds: Double, lossRatio: Double, isBad: Bool = false, invalid: String? = nil
  ) {
    self.load = load
    self.seconds = seconds
    self.lossRatio = lossRatio
    self.isBad = isBad
    self.invalid = invalid
  }
}

/// Judges a load by its trials (RFC 9971, section 4.6 and appendix A).
package struct LoadClassifier: Equatable, Sendable {
  package enum Verdict: String, Sendable, Codable {
    /// The server carries the load, which is therefore a lower bound.
    case lower
    case upper
    case undecided
  }

  package let goal: SearchGoal

  package init(_ goal: SearchGoal) { self.goal = goal }

  package func isHigh(_ trial: TrialOutcome) -> Bool {
    trial.isBad || trial.lossRatio > goal.lossRatio
  }

  package func isFull(_ trial: TrialOutcome) -> Bool { trial.seconds >= goal.finalSeconds }

  package func verdict(_ trials: [TrialOutcome]) -> Verdict {
    func sum(full: Bool, high: Bool) -> Double {
      trials.filter { isFull($0) == full && isHigh($0) == high }.reduce(0) { $0 + $1.seconds }
    }
    let (fullLow, fullHigh) = (sum(full: true, high: false), sum(full: true, high: true))
    let (shortLow, shortHigh) = (sum(full: false, high: false), sum(full: false, high: true))
    // The seconds of bad short trials that one second of good short trials offsets.
    let coefficient = goal.exceedRatio / (1 - goal.exceedRatio)
    let excess = max(0, shortHigh - shortLow * coefficient)
    let high = fullHigh + excess
    let whole = max(fullLow + high, goal.sumSeconds)
    let quantile = whole * goal.exceedRatio
    // The verdict if the missing time brought only bad trials, and if it brought only good ones.
    let pessimistic = whole - fullLow <= quantile
    let optimistic = high <= quantile
    if pessimistic, optimistic { return .lower }
    return pessimistic || optimistic ? .undecided : .upper
  }

  /// Returns the throughput that the full trials reach for all but `exceedRatio` of their time.
  package func conditionalThroughput(_ load: Double, _ trials: [TrialOutcome]) -> Double {
    let full = trials.filter(isFull).sorted { $0.lossRatio < $1.lossRatio }
    let time = full.reduce(0) { $0 + $1.seconds }
    var rest = max(time, goal.sumSeconds) * (1 - goal.exceedRatio)
    var loss = 1.0
    for trial in full where rest > 0 {
      loss = trial.lossRatio
      rest -= trial.seconds
    }
    return rest > 1e-9 ? 0 : load * (1 - loss)
  }
}
