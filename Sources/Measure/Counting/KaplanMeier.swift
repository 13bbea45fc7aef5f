internal import Foundation

/// The product-limit estimate of how long something takes, where not all were watched to the end
/// (Kaplan and Meier, JASA 1958).
///
/// A subject that is no longer observed, because the time was over or something else began, is
/// censored: it is at risk until then, and counts neither as done nor as never done. Subjects that
/// never do it keep the curve from reaching zero: that share is seen, not averaged away.
package struct KaplanMeier: Equatable, Sendable {
  /// Holds how long one subject was watched, and how that ended.
  package struct Observation: Equatable, Sendable, BitwiseCopyable {
    /// Any unit; the curve's own.
    package var time: Double
    /// Else it was only watched until then.
    package var isEvent: Bool

    /// Makes an observation that ends with the event, or only with the watching.
    package init(time: Double, isEvent: Bool) {
      self.time = time
      self.isEvent = isEvent
    }
  }

  /// The curve from an event's time to the next one's.
  package struct Step: Equatable, Sendable, BitwiseCopyable {
    /// Is the event's time, in the observations' unit.
    package var time: Double
    /// Watched until just before it, and not yet done.
    package var atRisk: Int
    /// Counts the events at that very time.
    package var events: Int
    /// The share not yet done from here on.
    package var survival: Double
    /// Greenwood's variance on the scale of log(−log S): the 95 % band never leaves 0 … 1.
    package var low: Double
    /// Is the upper end of the 95 % band for `survival`; `low` is the lower one.
    package var high: Double
  }

  /// Ascending in time, one an event time.
  package private(set) var steps: [Step] = []
  /// Counts the observations, with an event or without.
  package let subjects: Int
  /// Counts the observations that ended with the event.
  package let events: Int
  /// Until when the last one was watched.
  package let lastTime: Double

  /// Of the normal distribution: the middle 95 % lie within so many standard deviations.
  private static let normal975 = 1.959_963_984_540_054

  /// Estimates the curve from observations in any order; of none it has no steps.
  package init(_ observations: [Observation]) {
    subjects = observations.count
    events = observations.count(where: \.isEvent)
    let done = observations.lazy.filter(\.isEvent).map(\.time).sorted()
    let left = observations.lazy.filter { !$0.isEvent }.map(\.time).sorted()
    lastTime = max(done.last ?? 0, left.last ?? 0)
    var survival = 1.0
    var greenwood = 0.0
    var gone = 0
    var i = 0
    while i < done.count {
      let time = done[i]
      // Who left at that very time was still at risk.
      while gone < left.count, left[gone] < time { gone += 1 }
      let atRisk = subjects - i - gone
      var events = 0
      while i < done.count, done[i] == time {
        events += 1
        i += 1
      }
      survival *= 1 - Double(events) / Double(atRisk)
      if events < atRisk {
        greenwood += Double(events) / (Double(atRisk) * Double(atRisk - events))
      }
      let (low, high) = Self.band(survival, greenwood, before: steps.last)
      steps.append(
        Step(
          time: time, atRisk: atRisk, events: events, survival: survival, low: low, high: high))
    }
  }

  private static func band(
    _ survival: Double, _ greenwood: Double, before: Step?
  ) -> (low: Double, high: Double) {
    // At zero the variance has no value; the last one's upper bound still holds.
    guard survival > 0 else { return (0, before?.high ?? 1) }
    guard survival < 1 else { return (1, 1) }
    let reach = normal975 * greenwood.squareRoot() / -log(survival)
    return (pow(survival, exp(reach)), pow(survival, exp(-reach)))
  }

  /// The step that a time lies on; nil: before the first event, where all are left.
  package func step(at time: Double) -> Step? {
    var low = 0
    var high = steps.count
    while low < high {
      let middle = (low + high) / 2
      if steps[middle].time <= time { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? steps[low - 1] : nil
  }

  /// Is the share not yet done at a time, 0 … 1; it is 1 before the first event.
  package func survival(at time: Double) -> Double { step(at: time)?.survival ?? 1 }

  /// The first time by which that share was done; nil: the curve never comes so far.
  package func time(ofShare share: Double) -> Double? {
    // Products of fractions: 1 − 0.1 − … misses its own sum by an ulp or two.
    steps.first { $0.survival <= 1 - share + 1e-12 }?.time
  }

  /// Is the first time by which half were done; nil where the curve does not come so far.
  package var median: Double? { time(ofShare: 0.5) }

  /// The share that was done by the last time that anyone was watched.
  package var reached: Double { 1 - (steps.last?.survival ?? 1) }

  /// At most so many steps, each the curve's own value at its time: the first, the last, and
  /// between them those that have come another equal part of the way.
  package func thinned(to count: Int) -> [Step] {
    guard steps.count > count, count > 2, let first = steps.first, let last = steps.last else {
      return steps
    }
    let part = (first.survival - last.survival) / Double(count - 2)
    var kept = [first]
    for step in steps.dropFirst().dropLast()
    where first.survival - step.survival >= Double(kept.count) * part { kept.append(step) }
    return kept.prefix(count - 1) + [last]
  }
}
