package import Figures
internal import SimulationCore

/// A scalability law fitted to measurements, with how far it may be off.
package struct LawFit: Equatable, Sendable {
  /// A load, and what it was seen to carry.
  package struct Point: Equatable, Sendable, Codable {
    /// Is the load, such as calls in flight; above 0.
    package var load: Double
    /// Is what was carried at that load, such as batches a second; above 0.
    package var throughput: Double

    /// Makes a point from a load and its throughput.
    package init(load: Double, throughput: Double) {
      self.load = load
      self.throughput = throughput
    }
  }

  /// Why there is no law.
  package enum FitError: Error, Equatable, Sendable, CustomStringConvertible {
    case tooFewPoints(Int)
    case badPoint(Point)
    case singular

    /// Says why the law was not fitted, in the words of a report.
    package var description: String {
      switch self {
      case .tooFewPoints(let count):
        """
        not fitted: \(count) different loads were measured, and three coefficients ask for \
        \(LawFit.pointsMin) at least
        """
      case .badPoint(let point):
        """
        not fitted: the point (\(point.load), \(point.throughput)) cannot be; loads and \
        throughputs are numbers above 0
        """
      case .singular: "not fitted: the points do not tell the coefficients apart"
      }
    }
  }

  /// Fewer tell three coefficients apart only by luck (Gunther; usl4j refuses them as well).
  package static let pointsMin = 6

  /// Holds the measured points, by load and then by throughput.
  package let points: [Point]
  /// Is the law fitted by least squares, with α and β in 0 ... 1 and γ above 0.
  package let law: ScalabilityLaw
  /// Of α, β, γ; nil where a coefficient lies on its bound and has none.
  package let standardErrors: [Double?]
  /// Root of the mean square of the residuals, by degrees of freedom.
  package let residual: Double
  /// Is the contention α with its 95 % interval.
  package let alpha: Ratio
  /// Is the coherency β with its 95 % interval.
  package let beta: Ratio
  /// Is the throughput γ of a load of one with its 95 % interval.
  package let gamma: Ratio
  /// Of the load at the peak; nil: the law has no peak.
  package let peakLoad: Ratio?

  /// - Parameter seed: of the bootstrap.
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

  /// Laws of residuals that were drawn again and put on the fitted curve: Wald's intervals mean
  /// nothing where a coefficient lies on its bound.
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

  // MARK: What it says

  /// What the law says of a load.
  package enum Prediction: Equatable, Sendable {
    case measured(Double)
    /// Beyond the largest load that was measured, by this factor.
    case extrapolated(Double, factor: Double)
    /// Too far beyond it for a sentence.
    case refused(factor: Double)
  }

  /// Beyond twice the largest load that was measured a law says what it likes.
  package static let extrapolationMax = 2.0

  /// Returns what the law predicts for a load, and whether the load was measured.
  /// Beyond `extrapolationMax` times the largest measured load nothing is predicted.
  package func throughput(at load: Double) -> Prediction {
    let factor = load / (points.last?.load ?? load)
    if factor <= 1 { return .measured(law.throughput(at: load)) }
    if factor > Self.extrapolationMax { return .refused(factor: factor) }
    return .extrapolated(law.throughput(at: load), factor: factor)
  }
}
