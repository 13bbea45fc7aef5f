package import Core

package struct LawFit: Equatable, Sendable {
  package struct Point: Equatable, Sendable, Codable {
    /// The load, such as the calls in flight; above 0.
    package var load: Double
    /// The throughput, such as the batches a second; above 0.
    package var throughput: Double

    package init(load: Double, throughput: Double) {
      self.load = load
      self.throughput = throughput
    }
  }

  package enum FitError: Error, Equatable, Sendable, CustomStringConvertible {
    case tooFewPoints(Int)
    case badPoint(Point)
    case singular

    package var description: String {
      switch self {
      case .tooFewPoints(let count):
        """
        not fitted: \(count) different loads were measured, but three coefficients need at least \
        \(LawFit.pointsMin)
        """
      case .badPoint(let point):
        """
        not fitted: the point (\(point.load), \(point.throughput)) is invalid; loads and \
        throughputs must be above 0
        """
      case .singular: "not fitted: the points do not determine the coefficients"
      }
    }
  }

  /// The fewest loads to fit: fewer separate three coefficients only by luck (Gunther, usl4j).
  package static let pointsMin = 6

  package let points: [Point]
  /// The least-squares fit, with α and β in 0 ... 1 and γ above 0.
  package let law: ScalabilityLaw
  /// The standard errors of α, β and γ; nil for a coefficient on its bound.
  package let standardErrors: [Double?]
  /// The residual standard error: √(sum of squared residuals ÷ degrees of freedom).
  package let residual: Double
  package let alpha: Ratio
  package let beta: Ratio
  package let gamma: Ratio
  package let peakLoad: Ratio?

  package init(_ points: [Point], seed: UInt64, resamples: Int = 400) throws(FitError) {
    for point in points
    where !(point.load > 0 && point.throughput > 0 && (point.load + point.throughput).isFinite) {
      throw .badPoint(point)
    }
    let loads = Set(points.map(\.load)).count
    guard loads >= Self.pointsMin else { throw .tooFewPoints(loads) }
    let solver = LawSolver(points)
    guard let best = solver.solve(from: solver.start) else { throw .singular }
    self.points = points.sorted { ($0.load, $0.throughput) < ($1.load, $1.throughput) }
    law = best
    residual = (solver.squares(best) / Double(points.count - 3)).squareRoot()
    standardErrors = solver.standardErrors(best, residual: residual)
    let resampled = Self.bootstrap(points, best, seed: seed, resamples: resamples)
    func interval(_ of: (ScalabilityLaw) -> Double) -> Ratio {
      Ratio(of(best), resampled: resampled.map(of))
    }
    alpha = interval(\.alpha)
    beta = interval(\.beta)
    gamma = interval(\.gamma)
    peakLoad = best.peak.map { peak in
      Ratio(peak.load, resampled: resampled.map { $0.peak?.load ?? .infinity })
    }
  }

  /// Fits laws to resampled residuals, because Wald's intervals are meaningless for a coefficient
  /// on its bound.
  private static func bootstrap(
    _ points: [Point], _ law: ScalabilityLaw, seed: UInt64, resamples: Int
  ) -> [ScalabilityLaw] {
    let widening = (Double(points.count) / Double(points.count - 3)).squareRoot()
    let residuals = points.map { ($0.throughput - law.throughput(at: $0.load)) * widening }
    var draw = Draw(seed: seed, phone: .max, .lawBootstrap)
    return (0..<resamples).compactMap { _ in
      let again = points.map { point in
        let drawn = residuals[draw.unit(of: residuals.count)]
        return Point(
          load: point.load, throughput: max(1e-9, law.throughput(at: point.load) + drawn))
      }
      return LawSolver(again).solve(from: law)
    }
  }

  // MARK: Predictions

  package enum Prediction: Equatable, Sendable {
    case measured(Double)
    /// A throughput at a load that is `factor` times the largest measured one.
    case extrapolated(Double, factor: Double)
    case refused(factor: Double)
  }

  /// The multiple of the largest measured load at which predictions end.
  package static let extrapolationMax = 2.0

  package func throughput(at load: Double) -> Prediction {
    let factor = load / (points.last?.load ?? load)
    if factor <= 1 { return .measured(law.throughput(at: load)) }
    if factor > Self.extrapolationMax { return .refused(factor: factor) }
    return .extrapolated(law.throughput(at: load), factor: factor)
  }
}
