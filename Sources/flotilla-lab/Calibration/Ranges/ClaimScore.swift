internal import Core
internal import Foundation
internal import Scenarios

/// How well forecasts meet published figures. Each source has the same weight, however many of its
/// figures are registered.
struct ClaimScore: Equatable, Sendable {
  /// The number of figures with a forecast, and the number of their sources.
  let figures: Int
  let sources: Int
  /// The share of figures in their 50 % and 90 % intervals, with Jeffreys's 95 % interval.
  let half: Ratio
  let most: Ratio
  /// The median ratio between the ends of a 90 % interval; nil without positive ends.
  let width: Double?
  /// The mean CRPS in natural logarithms, with a 95 % bootstrap interval over sources.
  let crps: Ratio?

  /// Scores forecasts; nil if no scored figure has a forecast.
  init?(_ forecasts: [ClaimForecast], seed: UInt64 = 0) {
    let scored = forecasts.filter { $0.claim.isScored && $0.interval != nil }
    guard !scored.isEmpty else { return nil }
    figures = scored.count
    let bySource = Self.bySource(scored, \.claim)
    sources = bySource.count
    func coverage(_ probability: Double) -> Ratio {
      let shares = bySource.map { source in
        Double(source.count { $0.interval?.contains(probability) ?? false }) / Double(source.count)
      }
      return Jeffreys.interval(shares.reduce(0, +), of: Double(shares.count))
    }
    half = coverage(0.5)
    most = coverage(0.9)
    width = scored.compactMap { $0.interval?.width }.median(.linear)
    let means = bySource.compactMap { Sample.mean($0.compactMap(\.crps)) }
    crps = UnitBootstrap.estimate(means, seed: seed, statistic: Sample.mean)
  }

  /// Groups elements by the sources of their claims, in the order of the sources' names.
  static func bySource<One>(
    _ all: [One], _ claim: (One) -> RegisteredClaim
  ) -> [[One]] {
    Dictionary(grouping: all) { claim($0).origin }.sorted { $0.key < $1.key }.map(\.value)
  }
}

extension [ClaimForecast] {
  /// The scores by area; areas without a scored forecast are omitted.
  var scores: [(area: RegisteredClaim.Area, score: ClaimScore)] {
    RegisteredClaim.Area.allCases.compactMap { area in
      ClaimScore(filter { $0.claim.area == area }).map { (area, $0) }
    }
  }
}

enum Jeffreys {
  private static let steps = 20_000

  /// Returns a proportion with Jeffreys's 95 % interval: quantiles of a beta distribution with
  /// parameters x + ½ and n − x + ½ (Brown, Cai, DasGupta, Statistical Science 16, 2001). The
  /// interval ends at 0 without successes, and at 1 without failures. With p = sin²θ, the density
  /// in θ is sin^(2x)θ · cos^(2(n−x))θ, which is bounded.
  static func interval(_ successes: Double, of trials: Double) -> Ratio {
    let step = Double.pi / 2 / Double(steps)
    let logs = (0..<steps).map { i in
      let angle = (Double(i) + 0.5) * step
      return 2 * (successes * log(sin(angle)) + (trials - successes) * log(cos(angle)))
    }
    let greatest = logs.max() ?? 0
    let densities = logs.map { exp($0 - greatest) }
    func quantile(_ q: Double) -> Double {
      let angle = BinnedQuantile.of(q, densities) { Double($0) * step } ?? 0
      return sin(angle) * sin(angle)
    }
    return Ratio(
      value: successes / trials, low: successes <= 0 ? 0 : quantile(0.025),
      high: successes >= trials ? 1 : quantile(0.975))
  }
}
