internal import Foundation

/// The product-limit estimate of a duration (Kaplan and Meier, JASA 1958). A subject is at risk
/// until its event, or until it is no longer observed and therefore censored.
package struct KaplanMeier: Equatable, Sendable {
  package struct Observation: Equatable, Sendable, BitwiseCopyable {
    /// A duration, in any unit; the curve has the same unit.
    package var time: Double
    /// Whether the event occurred; otherwise the observation is censored.
    package var isEvent: Bool

    package init(time: Double, isEvent: Bool) {
      self.time = time
      self.isEvent = isEvent
    }
  }

  package struct Step: Equatable, Sendable, BitwiseCopyable {
    package var time: Double
    /// The subjects without the event that were observed until just before `time`.
    package var atRisk: Int
    package var events: Int
    /// The share of subjects without the event from `time` on.
    package var survival: Double
    /// The 95 % band, `low` to `high`: Greenwood's variance of log(−log S) keeps both in 0 … 1.
    package var low: Double
    package var high: Double
  }

  private let done: [Double]
  private let left: [Double]
  package var subjects: Int { done.count + left.count }
  package var events: Int { done.count }
  package var lastTime: Double { max(done.last ?? 0, left.last ?? 0) }

  private static let normal975 = 1.959_963_984_540_054

  /// Estimates the curve from observations in any order; without observations it has no steps.
  package init(_ observations: [Observation]) {
    self.init(
      done: observations.filter(\.isEvent).map(\.time),
      left: observations.filter { !$0.isEvent }.map(\.time))
  }

  /// - Parameter done: The durations of subjects with the event, in any order.
  /// - Parameter left: The durations of the censored subjects.
  init(done: consuming [Double], left: consuming [Double]) {
    done.sort()
    left.sort()
    self.done = done
    self.left = left
  }

  private struct Moment {
    var time = 0.0
    var atRisk = 0
    var events = 0
    var survival = 1.0
    var greenwood = 0.0
  }

  /// Walks the event times until `body` returns false. An array of steps would take much memory.
  private func walk(_ body: (Moment, _ before: Moment?) -> Bool) {
    var moment = Moment()
    var before: Moment?
    var gone = 0
    var i = 0
    while i < done.count {
      moment.time = done[i]
      // A subject censored at this very time was still at risk.
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
    // At survival 0 the variance has no value; the previous step's upper bound still holds.
    guard moment.survival > 0 else { return (0, before.map { band($0, nil).high } ?? 1) }
    guard moment.survival < 1 else { return (1, 1) }
    let reach = normal975 * moment.greenwood.squareRoot() / -log(moment.survival)
    return (pow(moment.survival, exp(reach)), pow(moment.survival, exp(-reach)))
  }

  /// Returns the last step at or before a time; nil before the first event.
  package func step(at time: Double) -> Step? {
    var last: (Moment, Moment?)?
    walk { moment, before in
      guard moment.time <= time else { return false }
      last = (moment, before)
      return true
    }
    return last.map(Self.step)
  }

  /// Returns the share of subjects without the event at a time, 0 … 1.
  package func survival(at time: Double) -> Double { step(at: time)?.survival ?? 1 }

  /// Returns the first time by which `share` of the subjects had the event; nil if too few did.
  package func time(ofShare share: Double) -> Double? {
    var found: Double?
    walk { moment, _ in
      // A product of fractions misses the exact share by an ulp or two.
      if moment.survival <= 1 - share + 1e-12 { found = moment.time }
      return found == nil
    }
    return found
  }

  package var median: Double? { time(ofShare: 0.5) }

  package var reached: Double { 1 - (ends?.last.survival ?? 1) }

  private var ends: (first: Moment, last: Moment, count: Int)? {
    var ends: (first: Moment, last: Moment, count: Int)?
    walk { moment, _ in
      ends = (ends?.first ?? moment, moment, (ends?.count ?? 0) + 1)
      return true
    }
    return ends
  }

  /// Returns up to `count` ≥ 3 steps: the first, the last, and others at equal falls in survival.
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
