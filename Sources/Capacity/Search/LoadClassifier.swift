/// What a search for the sustainable load is after, as RFC 9971 (MLRsearch) has it.
package struct SearchGoal: Equatable, Sendable, Codable {
  /// How long a trial lasts whose word counts in full, seconds.
  package var finalSeconds: Double
  /// How long full trials at a load last together before it is judged.
  package var sumSeconds: Double
  /// How long a trial lasts that only looks, seconds.
  package var initialSeconds: Double
  /// A trial that loses more than this share is a bad one.
  package var lossRatio: Double
  /// The share of the trials' time in which bad ones are forgiven.
  package var exceedRatio: Double
  /// How far the bounds may be apart: upper ÷ lower − 1.
  package var width: Double

  /// Makes a goal; by default bad trials are forgiven in half of the time and the bounds lie 5 %
  /// apart.
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

/// One trial as its judge saw it.
package struct TrialOutcome: Equatable, Sendable, Codable {
  /// Batches a second, as intended.
  package var load: Double
  /// Is the length of the trial, in seconds.
  package var seconds: Double
  /// Of the batches offered, those that were refused, lost or late.
  package var lossRatio: Double
  /// What beside its losses makes a trial bad: a backlog that grew, too few good seconds.
  package var isBad: Bool
  /// Why the generator and not the server set its figures; nil: the trial is valid.
  package var invalid: String?

  /// Makes an outcome; by default it is valid and bad only by its losses.
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
  /// Is the verdict on one load.
  package enum Verdict: String, Sendable, Codable {
    /// The load is carried.
    case lower
    /// It is not.
    case upper
    case undecided
  }

  /// Is the goal that trials are judged by.
  package let goal: SearchGoal

  /// Makes a classifier for a goal.
  package init(_ goal: SearchGoal) { self.goal = goal }

  /// Returns whether the load was too much in this trial.
  package func isHigh(_ trial: TrialOutcome) -> Bool {
    trial.isBad || trial.lossRatio > goal.lossRatio
  }

  /// Returns whether the trial is long enough to count in full.
  package func isFull(_ trial: TrialOutcome) -> Bool { trial.seconds >= goal.finalSeconds }

  /// - Parameter trials: the valid ones at one load.
  package func verdict(_ trials: [TrialOutcome]) -> Verdict {
    func sum(full: Bool, high: Bool) -> Double {
      trials.filter { isFull($0) == full && isHigh($0) == high }.reduce(0) { $0 + $1.seconds }
    }
    let (fullLow, fullHigh) = (sum(full: true, high: false), sum(full: true, high: true))
    let (shortLow, shortHigh) = (sum(full: false, high: false), sum(full: false, high: true))
    // How much short low trials make up for short high ones.
    let coefficient = goal.exceedRatio / (1 - goal.exceedRatio)
    let excess = max(0, shortHigh - shortLow * coefficient)
    let high = fullHigh + excess
    let whole = max(fullLow + high, goal.sumSeconds)
    let quantile = whole * goal.exceedRatio
    // Whatever the missing time would bring: bad trials only, or good ones only.
    let pessimistic = whole - fullLow <= quantile
    let optimistic = high <= quantile
    if pessimistic, optimistic { return .lower }
    return pessimistic || optimistic ? .undecided : .upper
  }

  /// What a load gets through at the goal's exceed ratio: a share of it that only the worst trials
  /// fall short of.
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
