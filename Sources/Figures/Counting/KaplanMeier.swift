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

  /// Of those that did it, ascending.
  private let done: [Double]
  /// Until when each of the others was watched, ascending.
  private let left: [Double]
  /// Counts the observations, with an event or without.
  package var subjects: Int { done.count + left.count }
  /// Counts the observations that ended with the event.
  package var events: Int { done.count }
  /// Until when the last one was watched.
  package var lastTime: Double { max(done.last ?? 0, left.last ?? 0) }

  /// Of the normal distribution: the middle 95 % lie within so many standard deviations.
  private static let normal975 = 1.959_963_984_540_054

  /// Estimates the curve from observations in any order; of none it has no steps.
  package init(_ observations: [Observation]) {
    self.init(
      done: observations.filter(\.isEvent).map(\.time),
      left: observations.filter { !$0.isEvent }.map(\.time))
  }

  /// - Parameters:
  ///   - done: how long each subject took that did it, in any order.
  ///   - left: how long each of the others was watched.
  init(done: consuming [Double], left: consuming [Double]) {
    done.sort()
    left.sort()
    self.done = done
    self.left = left
  }

  /// What the estimate is at one event's time.
  private struct Moment {
    var time = 0.0
    var atRisk = 0
    var events = 0
    var survival = 1.0
    var greenwood = 0.0
  }

  /// Goes through the event times, as a step for each of millions would take more memory than all
  /// else that is known of them.
  ///
  /// - Parameter body: is called with each moment and the one before; false: no more.
  private func walk(_ body: (Moment, _ before: Moment?) -> Bool) {
    var moment = Moment()
    var before: Moment?
    var gone = 0
    var i = 0
    while i < done.count {
      moment.time = done[i]
      // Who left at that very time was still at risk.
      while gone < left.count, left[gone] < moment.time { gone += 1 }
      moment.atRisk = subjects - i - gone
      moment.events = 0
      while i < done.count, done[i] == moment.time {
        moment.events += 1
        i += 1
      }
      let (events, atRisk) = (Double(moment.events), Double(moment.atRisk))
      moment.survival *= 1 - events / atRisk
      if events < atRisk { moment.greenwood += events / (atRisk * (atRisk - events)) }
      guard body(moment, before) else { return }
      before = moment
    }
  }

  /// Ascending in time, one an event time.
  package var steps: [Step] {
    var steps: [Step] = []
    walk { moment, before in
      steps.append(Self.step(moment, before))
      return true
    }
    return steps
  }

  private static func step(_ moment: Moment, _ before: Moment?) -> Step {
    let (low, high) = band(moment, before)
    return Step(
      time: moment.time, atRisk: moment.atRisk, events: moment.events, survival: moment.survival,
      low: low, high: high)
  }

  private static func band(_ moment: Moment, _ before: Moment?) -> (low: Double, high: Double) {
    // At zero the variance has no value; the last one's upper bound still holds.
    guard moment.survival > 0 else { return (0, before.map { band($0, nil).high } ?? 1) }
    guard moment.survival < 1 else { return (1, 1) }
    let reach = normal975 * moment.greenwood.squareRoot() / -log(moment.survival)
    return (pow(moment.survival, exp(reach)), pow(moment.survival, exp(-reach)))
  }

  /// The step that a time lies on; nil: before the first event, where all are left.
  package func step(at time: Double) -> Step? {
    var last: (Moment, Moment?)?
    walk { moment, before in
      guard moment.time <= time else { return false }
      last = (moment, before)
      return true
    }
    return last.map(Self.step)
  }

  /// Is the share not yet done at a time, 0 … 1; it is 1 before the first event.
  package func survival(at time: Double) -> Double { step(at: time)?.survival ?? 1 }

  /// The first time by which that share was done; nil: the curve never comes so far.
  package func time(ofShare share: Double) -> Double? {
    var found: Double?
    walk { moment, _ in
      // Products of fractions: 1 − 0.1 − … misses its own sum by an ulp or two.
      if moment.survival <= 1 - share + 1e-12 { found = moment.time }
      return found == nil
    }
    return found
  }

  /// Is the first time by which half were done; nil where the curve does not come so far.
  package var median: Double? { time(ofShare: 0.5) }

  /// The share that was done by the last time that anyone was watched.
  package var reached: Double { 1 - (ends?.last.survival ?? 1) }

  private var ends: (first: Moment, last: Moment, count: Int)? {
    var ends: (first: Moment, last: Moment, count: Int)?
    walk { moment, _ in
      ends = (ends?.first ?? moment, moment, (ends?.count ?? 0) + 1)
      return true
    }
    return ends
  }

  /// At most so many steps, each the curve's own value at its time: the first, the last, and
  /// between them those that have come another equal part of the way.
  package func thinned(to count: Int) -> [Step] {
    guard let (first, last, all) = ends, all > count, count > 2 else { return steps }
    let part = (first.survival - last.survival) / Double(count - 2)
    var kept: [Step] = []
    walk { moment, before in
      let isLast = moment.time == last.time
      let way = first.survival - moment.survival
      if isLast || kept.isEmpty || (kept.count < count - 1 && way >= Double(kept.count) * part) {
        kept.append(Self.step(moment, before))
      }
      return true
    }
    return kept
  }
}
