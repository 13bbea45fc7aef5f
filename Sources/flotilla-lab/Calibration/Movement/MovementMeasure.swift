internal import Core
internal import Foundation

/// A published figure of movement, with simulated values by person, to resample people.
package struct MovementMeasure: Sendable {
  /// The id, such as `speed.walk`, which stays the same between versions.
  package let id: String
  package let claim: String
  package let source: String
  package let unit: String
  package let scenario: String
  package let band: ClosedRange<Double>
  package let samples: MovementSamples

  package var people: Int { samples.people }

  /// The figure over all people; nil if no case contributes to it.
  package var figure: Double? { samples.figure(of: Array(0..<people)) }

  /// Returns the figure over the people at some indices, which may repeat.
  package func figure(of people: [Int]) -> Double? { samples.figure(of: people) }
}

package enum MovementSamples: Sendable {
  case ratio([Ratio])
  /// The q-quantile of all people's values together.
  case quantile(Double, [Tally])
  case median([Double])
  case logMean([Moments])
  case logDeviation([Moments])
  /// Half the sum of absolute differences between the shares and a distribution.
  case variation(from: [Double], [[Double]])
  /// The exponent of a power law between two bounds, found by maximum likelihood.
  case powerLaw(from: Double, to: Double, [Moments])
  /// The exponent of the growth over `times` of the people's mean value.
  case growth(times: [Double], [[Double]])

  package struct Ratio: Sendable {
    package var part: Double = 0
    package var whole: Double = 0
  }

  /// The count, the sum and the sum of squares of logarithms.
  package struct Moments: Sendable {
    /// The count, as floating point so that moments can be divided.
    package var count: Double = 0
    package var sum: Double = 0
    package var squares: Double = 0

    mutating func add(_ value: Double) {
      let log = Foundation.log(value)
      count += 1
      sum += log
      squares += log * log
    }
  }

  package struct Tally: Sendable {
    static let bins = 200
    let width: Double
    private(set) var counts = [Double](repeating: 0, count: Self.bins)

    init(limit: Double) { width = limit / Double(Self.bins) }

    mutating func add(_ value: Double) {
      counts[min(max(0, Int(value / width)), Self.bins - 1)] += 1
    }

    mutating func merge(_ other: Self) {
      for i in counts.indices { counts[i] += other.counts[i] }
    }

    func quantile(_ q: Double) -> Double? {
      BinnedQuantile.of(q, counts) { width * Double($0) }
    }
  }

  package var people: Int {
    switch self {
    case .ratio(let all): all.count
    case .quantile(_, let all): all.count
    case .median(let all): all.count
    case .logMean(let all), .logDeviation(let all), .powerLaw(_, _, let all): all.count
    case .variation(_, let all), .growth(_, let all): all.count
    }
  }

  func figure(of people: [Int]) -> Double? {
    switch self {
    case .ratio(let all):
      let whole = people.reduce(0) { $0 + all[$1].whole }
      return whole > 0 ? people.reduce(0) { $0 + all[$1].part } / whole : nil
    case .quantile(let q, let all):
      guard var sum = people.first.map({ all[$0] }) else { return nil }
      for i in people.dropFirst() { sum.merge(all[i]) }
      return sum.quantile(q)
    case .median(let all):
      return people.map { all[$0] }.median(.upperInverse)
    case .logMean(let all):
      let sum = Self.sum(all, people)
      return sum.count > 0 ? sum.sum / sum.count : nil
    case .logDeviation(let all):
      let sum = Self.sum(all, people)
      guard sum.count > 1 else { return nil }
      let mean = sum.sum / sum.count
      return max(0, sum.squares / sum.count - mean * mean).squareRoot()
    case .variation(let reference, let all): return Self.variation(reference, all, people)
    case .powerLaw(let from, let to, let all):
      return Self.exponent(Self.sum(all, people), log(from), log(to))
    case .growth(let times, let all): return Self.growth(times, all, people)
    }
  }

  private static func sum(_ all: [Moments], _ people: [Int]) -> Moments {
    people.reduce(into: Moments()) {
      $0.count += all[$1].count
      $0.sum += all[$1].sum
      $0.squares += all[$1].squares
    }
  }

  private static func variation(
    _ reference: [Double], _ all: [[Double]], _ people: [Int]
  ) -> Double? {
    var found = [Double](repeating: 0, count: reference.count)
    for i in people { for slot in found.indices { found[slot] += all[i][slot] } }
    let sum = found.reduce(0, +)
    let whole = reference.reduce(0, +)
    guard sum > 0 else { return nil }
    return zip(found, reference).reduce(0) { $0 + abs($1.0 / sum - $1.1 / whole) } / 2
  }

  /// Returns b of the density r^-b. At the most likely b, the mean logarithm is the model's.
  private static func exponent(_ sum: Moments, _ low: Double, _ high: Double) -> Double? {
    guard sum.count > 0 else { return nil }
    let wanted = sum.sum / sum.count
    func mean(_ b: Double) -> Double {
      let k = 1 - b
      guard abs(k) > 1e-6 else { return (low + high) / 2 }
      let (start, end) = (exp(k * low), exp(k * high))
      return (high * end - low * start) / (end - start) - 1 / k
    }
    var (smallest, largest) = (-5.0, 20.0)
    for _ in 0..<60 {
      let middle = (smallest + largest) / 2
      if mean(middle) > wanted { smallest = middle } else { largest = middle }
    }
    return (smallest + largest) / 2
  }

  private static func growth(_ times: [Double], _ all: [[Double]], _ people: [Int]) -> Double? {
    guard times.count > 1, !people.isEmpty else { return nil }
    let points = times.indices.map { slot in
      (x: log(times[slot]), y: log(people.reduce(0) { $0 + all[$1][slot] } / Double(people.count)))
    }
    let n = Double(points.count)
    let meanX = points.reduce(0) { $0 + $1.x } / n
    let meanY = points.reduce(0) { $0 + $1.y } / n
    let across = points.reduce(0) { $0 + ($1.x - meanX) * ($1.x - meanX) }
    return points.reduce(0) { $0 + ($1.x - meanX) * ($1.y - meanY) } / across
  }
}
