package import Mobility
package import SimulationCore
package import Telemetry

extension Purpose {
  static let errorKnot = Purpose(rawValue: 220)
  static let reportedAccuracy = Purpose(rawValue: 221)
}

/// What a position was made from. The app never sees it (SL6).
package enum PositionSource: UInt8, Sendable, BitwiseCopyable { case satellites, wifi, cell }

/// Position error as a stateless function of time, so that asking twice, or asking less often,
/// changes nothing.
///
/// Correlated like an Ornstein–Uhlenbeck process: normals at knots one correlation time apart,
/// blended by weights of unit power, so that the variance is the same at every instant. Values
/// from data: 3 m per axis in the open, more between houses and indoors; correlation 20 s in
/// streets, 50 s at rest and in the open. Indoors a Wi-Fi position errs mostly by where its access
/// points are thought to be, which changes slowly: 300 s (A; NO1's bound on filtered updates).
package struct PositionError: Sendable {
  let seed: UInt64

  package init(seed: UInt64) { self.seed = seed }

  /// Standard deviation per axis, metres.
  package static func sigma(_ source: PositionSource, _ surroundings: Surroundings) -> Double {
    switch (source, surroundings) {
    case (.satellites, .open): 3
    case (.satellites, .street): 5
    case (.satellites, .indoor): 12
    case (.satellites, .tunnel): 60
    case (.wifi, .open), (.wifi, .street): 30
    case (.wifi, .indoor): 20
    case (.wifi, .tunnel): 80
    case (.cell, _): 300
    }
  }

  private static func correlation(
    _ source: PositionSource, _ surroundings: Surroundings
  ) -> SimDuration {
    switch (source, surroundings) {
    case (_, .street), (_, .tunnel): .seconds(20)
    case (.wifi, .indoor): .seconds(300)
    case (_, .open), (_, .indoor): .seconds(50)
    }
  }

  /// The error vector in metres at `t`.
  package func offset(
    at t: SimInstant, phone: PhoneID, _ source: PositionSource, _ surroundings: Surroundings
  ) -> PlanePoint {
    let step = Self.correlation(source, surroundings).microseconds
    let knot = t.microseconds / step
    let u = Double(t.microseconds - knot * step) / Double(step)
    let tag = Int64(source.rawValue) << 8 | Int64(surroundings.rawValue)
    var a = Draw(seed: seed, phone: phone.rawValue, .errorKnot, knot, tag)
    var b = Draw(seed: seed, phone: phone.rawValue, .errorKnot, knot + 1, tag)
    let scale = Self.sigma(source, surroundings) / ((1 - u) * (1 - u) + u * u).squareRoot()
    return PlanePoint(
      x: scale * ((1 - u) * a.normal() + u * b.normal()),
      y: scale * ((1 - u) * a.normal() + u * b.normal()))
  }

  /// The accuracy that the phone reports, metres: about 1.2 σ of both axes together, rounded to
  /// the values that phones show (5, 10, 30, 65, 1414), and not the true error.
  package func reportedAccuracy(
    at t: SimInstant, phone: PhoneID, _ source: PositionSource, _ surroundings: Surroundings
  ) -> UInt16 {
    let slot = t.microseconds / 30_000_000
    var draw = Draw(
      seed: seed, phone: phone.rawValue, .reportedAccuracy, slot, Int64(source.rawValue))
    let meters = 1.2 * Self.sigma(source, surroundings) * draw.uniform(0.8, 1.6)
    switch source {
    case .satellites: return UInt16(min(65, max(3, meters.rounded())))
    case .wifi: return 65
    case .cell: return 1_414
    }
  }
}
