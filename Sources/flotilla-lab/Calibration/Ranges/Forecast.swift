internal import Foundation
internal import Scenarios

/// The distribution that the model predicts for a published figure: a normal distribution around
/// each of the model's values, as wide as the observation's error. Logarithms are used if figures
/// are positive. The statistics of the mixture need no draws.
struct Forecast: Sendable {
  /// The centres of the normal distributions, sorted: figures, or their logarithms.
  private let centres: [Double]
  private let weights: [Double]
  /// The sum of the weights before each index, and at the end the sum of all weights.
  private let before: [Double]
  private let scale: ObservedScale

  /// - Parameter groups: The model's values, such as those of the phones at one point. Each group
  ///   has the same weight.
  /// - Returns: nil without values.
  init?(_ groups: [[Double]], observed: Observation) {
    let groups = groups.filter { !$0.isEmpty }
    guard !groups.isEmpty else { return nil }
    scale = ObservedScale(observed)
    var weighed: [(at: Double, weight: Double)] = []
    for group in groups {
      let weight = 1 / Double(groups.count * group.count)
      for value in group {
        weighed.append((scale.place(of: value), weight))
      }
    }
    weighed.sort { $0.at < $1.at }
    centres = weighed.map(\.at)
    weights = weighed.map(\.weight)
    before = weights.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1) }
  }

  private var sigma: Double { scale.sigma }

  /// Returns how many of `centres` are below a value on their scale.
  private func count(below place: Double) -> Int {
    var (low, high) = (0, centres.count)
    while low < high {
      let middle = (low + high) / 2
      if centres[middle] < place { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The distance beyond which a normal distribution around a centre is negligible.
  private var reach: Double { 8 * sigma }

  /// Returns the predicted probability of values below `figure`. Equal values count half.
  func share(below figure: Double) -> Double { share(belowScaled: scale.place(of: figure)) }

  private func share(belowScaled place: Double) -> Double {
    let first = count(below: place - reach)
    let last = count(below: (place + reach).nextUp)
    return (first..<last).reduce(before[first]) { sum, i in
      sum + weights[i] * Normal.share(below: place - centres[i], sigma: sigma)
    }
  }

  func quantile(_ q: Double) -> Double {
    var (low, high) = (centres[0] - reach, centres[centres.count - 1] + reach)
    for _ in 0..<60 where low < high {
      let middle = (low + high) / 2
      if share(belowScaled: middle) < q { low = middle } else { high = middle }
    }
    return scale.isLogarithmic ? exp(high) : high
  }

  /// Returns the continuous ranked probability score in closed form: the mean distance to the
  /// figure minus half of the mean distance between two draws, in natural logarithms (Grimit,
  /// Gneiting, Berrocal, Johnson, Quarterly Journal of the Royal Meteorological Society 132, 2006).
  /// A certain forecast that is wrong by a factor e scores 1.
  ///
  /// - Returns: nil for a figure that is not predicted in logarithms.
  func score(of figure: Double) -> Double? {
    guard scale.isLogarithmic else { return nil }
    let place = scale.place(of: figure)
    let toFigure = centres.indices.reduce(0.0) { sum, i in
      sum + weights[i] * Normal.meanDistance(place - centres[i], sigma: sigma)
    }
    let wide = sigma * 2.0.squareRoot()
    var between = 0.0
    for i in centres.indices {
      var sum = weights[i] * Normal.meanDistance(0, sigma: wide) / 2
      for j in 0..<i {
        sum += weights[j] * Normal.meanDistance(centres[i] - centres[j], sigma: wide)
      }
      between += 2 * weights[i] * sum
    }
    return toFigure - between / 2
  }

  /// Returns whether values lie on both sides of the figure, allowing for its 90 % error interval.
  static func reaches(_ observed: Observation, _ values: [Double]) -> Bool {
    guard let least = values.min(), let greatest = values.max() else { return false }
    let wide = 1.645
    switch observed.error {
    case .factor(let factor):
      let slack = pow(factor, wide)
      return least <= observed.value * slack && greatest >= observed.value / slack
    case .absolute(let deviation):
      return least <= observed.value + wide * deviation
        && greatest >= observed.value - wide * deviation
    }
  }
}

/// The scale on which the errors of an observation are normal: logarithmic if the published figure
/// is positive and known to within a factor e, otherwise linear.
struct ObservedScale: Sendable {
  let isLogarithmic: Bool
  /// The standard deviation of the observation on this scale.
  let sigma: Double
  /// The smallest value: smaller ones are replaced by `least`, since 0 has no logarithm.
  private let least: Double

  /// The greatest error, as a logarithm, with which a figure is predicted in logarithms.
  private static let sigmaMax = 1.0
  /// The published figure divided by the smallest value.
  private static let belowMax = 1_000.0

  init(_ observed: Observation) {
    let error =
      switch observed.error {
      case .factor(let factor): observed.value > 0 ? log(factor) : .infinity
      case .absolute(let deviation):
        observed.value > 0 ? deviation / observed.value : .infinity
      }
    isLogarithmic = error <= Self.sigmaMax
    least = observed.value / Self.belowMax
    switch observed.error {
    case .factor: sigma = isLogarithmic ? error : 0
    case .absolute(let deviation): sigma = isLogarithmic ? error : deviation
    }
  }

  func place(of figure: Double) -> Double {
    isLogarithmic ? log(max(figure, least)) : figure
  }
}

enum Normal {
  /// Returns the probability of a draw below the mean plus `distance`.
  static func share(below distance: Double, sigma: Double) -> Double {
    guard sigma > 0 else { return distance > 0 ? 1 : distance < 0 ? 0 : 0.5 }
    return 0.5 * erfc(-distance / (sigma * 2.0.squareRoot()))
  }

  /// Returns the mean distance between a draw and the mean plus `distance`.
  static func meanDistance(_ distance: Double, sigma: Double) -> Double {
    let z = distance / sigma
    guard sigma > 0, abs(z) < 8 else { return abs(distance) }
    let density = exp(-z * z / 2) / (2 * Double.pi).squareRoot()
    return distance * (2 * share(below: distance, sigma: sigma) - 1) + 2 * sigma * density
  }
}
