internal import Core
internal import Foundation
internal import Scenarios

/// A `PeopleProfile` as a trivially copyable value with cumulative tables.
struct People: Sendable, BitwiseCopyable {
  let work: Work
  let outings: Outings
  let places: Places
  let outside: Outside
  let travel: Travel

  struct Work: Sendable, BitwiseCopyable {
    let weekday, weekend: Double
    let distance, bicycleDistance: Spread
    let rush: Double
    let leaves: DayCurve
    let punctuality, length, lengthDeviation: Double
    let lunch: Double
    let lunchStay: Spread
    let lunchReach: Double
    let errandsAfter: Weights
    let eveningOut: Double
  }

  struct Outings: Sendable, BitwiseCopyable {
    let staysHome: Double
    let tours, errands: Weights
    let weekdayStarts, weekendStarts: DayCurve
    let weekdayStay, weekendStay: Spread
    let pause: SimDuration
    /// The mean bedtime in hours after midnight, and its standard deviation in hours.
    let bedtime, bedtimeDeviation: Double
  }

  struct Places: Sendable, BitwiseCopyable {
    let distance, bicycleDistance: Spread
    let rankExponent: Double
    let outdoors: Double

    /// Draws a rank 1, 2, 3 … with P(rank > n) = (n + 1)^-exponent.
    func rank(_ u: Double) -> Double { pow(1 - u, -1 / rankExponent).rounded(.down) }
  }

  struct Outside: Sendable, BitwiseCopyable {
    let garden: Double
    let gardenStay: Spread
    let work: Double
    let waitSeconds: Double
    let walks: Double
    let walk: Spread
  }

  init(_ profile: PeopleProfile) {
    let work = profile.work
    self.work = Work(
      weekday: work.weekday, weekend: work.weekend, distance: Spread(work.distance),
      bicycleDistance: Spread(work.bicycleDistance), rush: work.rush, leaves: DayCurve(work.leaves),
      punctuality: work.punctuality.seconds / 3_600, length: work.length.seconds / 3_600,
      lengthDeviation: work.lengthDeviation.seconds / 3_600, lunch: work.lunch,
      lunchStay: Spread(work.lunchStay), lunchReach: work.lunchReach.meters,
      errandsAfter: Weights(work.errandsAfter), eveningOut: work.eveningOut)
    let outings = profile.outings
    self.outings = Outings(
      staysHome: outings.staysHome, tours: Weights(outings.tours),
      errands: Weights(outings.errands), weekdayStarts: DayCurve(outings.weekdayStarts),
      weekendStarts: DayCurve(outings.weekendStarts), weekdayStay: Spread(outings.weekdayStay),
      weekendStay: Spread(outings.weekendStay), pause: outings.pause, bedtime: outings.bedtime,
      bedtimeDeviation: outings.bedtimeDeviation)
    places = Places(
      distance: Spread(profile.places.distance),
      bicycleDistance: Spread(profile.places.bicycleDistance),
      rankExponent: profile.places.rankExponent, outdoors: profile.places.outdoors)
    let outside = profile.outside
    self.outside = Outside(
      garden: outside.garden, gardenStay: Spread(outside.gardenStay), work: outside.work,
      waitSeconds: outside.wait.seconds, walks: outside.walks, walk: Spread(outside.walk))
    travel = Travel(profile.travel, profile.modes)
  }
}

/// A log-normal distribution clamped to `low` … `high`, in metres or seconds.
struct Spread: Sendable, BitwiseCopyable {
  let median, sigma, low, high: Double

  init(_ spread: DistanceSpread) {
    (median, sigma) = (spread.median.meters, spread.sigma)
    (low, high) = (spread.min.meters, spread.max.meters)
  }

  init(_ spread: TimeSpread) {
    (median, sigma) = (spread.median.seconds, spread.sigma)
    (low, high) = (spread.min.seconds, spread.max.seconds)
  }

  func value(_ draw: inout Draw) -> Double {
    min(max(draw.logNormal(median: median, sigma: sigma), low), high)
  }
}

struct Weights: Sendable, BitwiseCopyable {
  static let most = 6
  private var below = InlineArray<6, Double>(repeating: 1)

  init(_ weights: [Double]) {
    let sum = weights.reduce(0, +)
    var seen = 0.0
    for (i, weight) in weights.prefix(Self.most).enumerated() {
      seen += weight
      below[i] = seen / sum
    }
  }

  func index(_ u: Double) -> Int {
    var i = 0
    while i < Self.most - 1, below[i] <= u { i += 1 }
    return i
  }
}

/// A distribution over the day, uniform within each half hour.
struct DayCurve: Sendable, BitwiseCopyable {
  /// The share of the day's draws before half hour i, from 0 to 48; the last value is 1.
  private var before = InlineArray<49, Float>(repeating: 1)

  init(_ weights: [Double]) {
    let sum = weights.reduce(0, +)
    var seen = 0.0
    for (i, weight) in weights.prefix(48).enumerated() {
      before[i] = Float(seen / sum)
      seen += weight
    }
  }

  func share(before hour: Double) -> Double {
    let slot = min(max(hour * 2, 0), 48)
    let i = min(Int(slot), 47)
    return Double(before[i]) + (slot - Double(i)) * Double(before[i + 1] - before[i])
  }

  func hour(_ u: Double) -> Double {
    var low = 0
    var high = 48
    while high - low > 1 {
      let middle = (low + high) / 2
      if Double(before[middle]) <= u { low = middle } else { high = middle }
    }
    let span = Double(before[low + 1] - before[low])
    let part = span > 0 ? (u - Double(before[low])) / span : 0
    return (Double(low) + min(max(part, 0), 1)) / 2
  }

  /// Returns the earliest of `count` draws after `hour`; nil if under 0.1 % of the curve is left.
  func first(of count: Int, after hour: Double, _ u: Double) -> Double? {
    let gone = share(before: hour)
    guard gone < 0.999 else { return nil }
    return self.hour(gone + (1 - gone) * (1 - pow(1 - u, 1 / Double(count))))
  }
}
