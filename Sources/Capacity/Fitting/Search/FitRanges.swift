internal import Core
internal import Foundation

/// The values of a fitted policy that a log does not rule out, by history matching with simulated
/// policies near the fitted one. Kind of service, accuracy and limits keep their fitted values.
package struct FitRanges: Equatable, Sendable, Codable {
  package enum Key: String, CaseIterable, Codable, Sendable {
    case seconds, meters, sendSeconds, offline, switchedOff
  }

  package struct Range: Equatable, Sendable, Codable {
    package var key: Key
    /// The 90 % range, widened to contain the fitted value.
    package var low: Double
    package var high: Double
    package var triedLow: Double
    package var triedHigh: Double

    /// Whether the range is narrower than four fifths of the tried range.
    package var isDetermined: Bool {
      func place(_ value: Double) -> Double { Ends.isLogarithmic(key) ? log(value) : value }
      return place(high) - place(low) < 0.8 * (place(triedHigh) - place(triedLow))
    }
  }

  /// The number of simulated policies that the ranges are based on.
  package var policies: Int
  /// The share of the tried space that is not ruled out; 0 if the log rules out everything.
  package var share: Double
  package var values: [Range]
  /// The figures of the log that no tried policy comes near to.
  package var unmet: [FitStatistic]

  /// A simulated policy, with the statistics of its simulation.
  package struct Trial: Sendable {
    let candidate: FitCandidate
    let statistics: [FitStatistic: Double]

    package init(_ candidate: FitCandidate, _ statistics: [FitStatistic: Double]) {
      (self.candidate, self.statistics) = (candidate, statistics)
    }
  }

  /// Returns different policies near the fitted one, drawn from a Latin hypercube. A time or a
  /// distance is within a factor of the fitted value, a share within some percentage points.
  ///
  /// - Parameter count: the maximum number of policies.
  package static func policies(round fitted: FitCandidate, count: Int, seed: UInt64)
    -> [FitCandidate]
  {
    let ends = Ends(fitted)
    let cube = LatinHypercube(
      points: count, dimensions: ends.keys.count, seed: seed, for: .modelHypercube)
    var policies: [FitCandidate] = []
    for point in cube.points {
      let policy = ends.candidate(at: point)
      if policy != fitted, !policies.contains(policy) { policies.append(policy) }
    }
    return policies
  }
}

extension FitRanges {
  /// Creates the ranges; nil without a target, without a value to vary, or with too few trials.
  package init?(
    _ fitted: FitCandidate, _ trials: [Trial], _ targets: [FitStatistic: MatchTarget],
    seed: UInt64
  ) {
    let ends = Ends(fitted)
    let near = trials.compactMap { trial in
      ends.place(of: trial.candidate).map { (place: $0, statistics: trial.statistics) }
    }
    let known = FitStatistic.allCases.filter { targets[$0] != nil }
    guard !known.isEmpty, !ends.keys.isEmpty, near.count >= Self.trialsMin else { return nil }
    let wave = MatchWave(
      known.compactMap { statistic in
        targets[statistic].map { target in
          let emulator = Emulator(
            near.map(\.place), near.map { $0.statistics[statistic] },
            inputs: Array(ends.keys.indices))
          return [MatchWave.Output(target, emulator)]
        }
      })
    let space = PlausibleSpace(
      [wave], dimensions: ends.keys.count, points: Self.points, seed: seed)
    policies = near.count
    share = space.share
    unmet = zip(known, space.least).filter { $0.1 > MatchTarget.cutoff }.map(\.0)
    values = ends.keys.enumerated().compactMap { axis, key in
      space.range(of: axis).map { range in
        let own = fitted.value(of: key) ?? 0
        return Range(
          key: key, low: min(own, ends.value(axis, at: range.low)),
          high: max(own, ends.value(axis, at: range.high)),
          triedLow: ends.value(axis, at: 0), triedHigh: ends.value(axis, at: 1))
      }
    }
  }

  private static let trialsMin = 6
  private static let points = 1_000

  package func range(of key: Key) -> Range? { values.first { $0.key == key } }
}

extension FitCandidate {
  package func value(of key: FitRanges.Key) -> Double? {
    switch key {
    case .seconds: seconds
    case .meters: meters
    case .sendSeconds: sendSeconds
    case .offline: offline
    case .switchedOff: switchedOff
    }
  }
}

/// The lowest and highest tried value of each key.
private struct Ends {
  typealias Key = FitRanges.Key

  let keys: [Key]
  private let fitted: FitCandidate
  private let ends: [(low: Double, high: Double)]

  private static let factor = 2.5
  private static let part = 0.08

  /// Whether a value is varied by a factor; a share is varied by a difference.
  static func isLogarithmic(_ key: Key) -> Bool {
    switch key {
    case .seconds, .meters, .sendSeconds: true
    case .offline, .switchedOff: false
    }
  }

  init(_ fitted: FitCandidate) {
    self.fitted = fitted
    var (keys, ends): ([Key], [(low: Double, high: Double)]) = ([], [])
    for key in Key.allCases {
      let own = fitted.value(of: key) ?? 0
      let range: (low: Double, high: Double) =
        Self.isLogarithmic(key)
        ? (own / Self.factor, own * Self.factor)
        : (max(0, own - Self.part), own + Self.part)
      let low = Self.set(key, range.low, in: fitted).flatMap { $0.value(of: key) }
      let high = Self.set(key, range.high, in: fitted).flatMap { $0.value(of: key) }
      guard own > 0 || !Self.isLogarithmic(key), let low, let high, low < high else { continue }
      // With an interval of a day or more, or with wakes only, the distance alone decides.
      if key == .seconds, own >= 86_400 || fitted.service == .wakes { continue }
      keys.append(key)
      ends.append((low, high))
    }
    (self.keys, self.ends) = (keys, ends)
  }

  /// Returns a copy of the candidate with a new value, kept within bounds; nil without the key.
  private static func set(_ key: Key, _ value: Double, in candidate: FitCandidate)
    -> FitCandidate?
  {
    guard candidate.value(of: key) != nil else { return nil }
    var copy = candidate
    switch key {
    case .seconds: copy.seconds = value
    case .meters: copy.meters = value
    case .sendSeconds: copy.sendSeconds = value
    case .offline: copy.offline = value
    case .switchedOff: copy.switchedOff = value
    }
    copy.bound()
    return copy
  }

  func value(_ axis: Int, at place: Double) -> Double {
    let (low, high) = ends[axis]
    return Self.isLogarithmic(keys[axis])
      ? low * pow(high / low, place) : low + (high - low) * place
  }

  func candidate(at point: [Double]) -> FitCandidate {
    keys.indices.reduce(fitted) { candidate, axis in
      Self.set(keys[axis], value(axis, at: point[axis]), in: candidate) ?? candidate
    }
  }

  /// Returns the position (0 … 1) of each value between its ends; nil for a policy of another kind,
  /// or with a value beyond the ends.
  func place(of candidate: FitCandidate) -> [Double]? {
    var same = candidate
    var places: [Double] = []
    for (axis, key) in keys.enumerated() {
      guard let value = candidate.value(of: key) else { return nil }
      let (low, high) = ends[axis]
      let place =
        Self.isLogarithmic(key)
        ? log(value / low) / log(high / low) : (value - low) / (high - low)
      guard (-0.001...1.001).contains(place) else { return nil }
      places.append(min(1, max(0, place)))
      same = fitted.value(of: key).flatMap { Self.set(key, $0, in: same) } ?? same
    }
    return same == fitted ? places : nil
  }
}
