import Core
import Figures
internal import TestSupport
internal import Testing
@testable import Capacity

@Suite("Scalability law", .quick)
struct ScalabilityLawTests {
  /// SPARCcenter 2000, users and scripts an hour (R package `usl`, data set specsdm91).
  static let specsdm91 = points(
    [1, 18, 36, 72, 108, 144, 216], [64.9, 995.9, 1652.4, 1853.2, 1828.9, 1775.0, 1702.2])
  /// From the package's own tests.
  static let synthetic = points(
    [1, 2, 4, 6, 8, 10], [1, 1.8868, 3.0769, 3.5294, 3.5398, 3.3557])

  static func points(_ loads: [Double], _ throughputs: [Double]) -> [LawFit.Point] {
    zip(loads, throughputs).map { LawFit.Point(load: $0, throughput: $1) }
  }

  static func isNear(_ a: Double, _ b: Double, relative: Double = 1e-4) -> Bool {
    abs(a - b) <= relative * abs(b)
  }

  @Test("finds the published coefficients of specsdm91, with errors, peak and limit")
  func published() throws {
    let fit = try LawFit(Self.specsdm91, seed: 1, resamples: 40)
    #expect(Self.isNear(fit.law.alpha, 0.0277284, relative: 1e-4))
    #expect(Self.isNear(fit.law.beta, 0.000104366, relative: 1e-4))
    #expect(Self.isNear(fit.law.gamma, 89.9952, relative: 1e-4))
    #expect(Self.isNear(try #require(fit.standardErrors[0]), 0.0091218, relative: 1e-3))
    #expect(Self.isNear(try #require(fit.standardErrors[1]), 1.98767e-5, relative: 1e-3))
    #expect(Self.isNear(try #require(fit.standardErrors[2]), 14.2135, relative: 1e-3))
    #expect(Self.isNear(fit.residual, 82.846, relative: 1e-3))
    let peak = try #require(fit.law.peak)
    #expect(Self.isNear(peak.load, 96.5195))
    #expect(Self.isNear(peak.throughput, 1883.90))
    #expect(Self.isNear(try #require(fit.law.limit), 3245.59))
    let range = try #require(fit.peakLoad)
    #expect(range.low < 96.5 && range.high > 96.5)
  }

  @Test("finds the coefficients of the synthetic set")
  func synthetic() throws {
    let law = try LawFit(Self.synthetic, seed: 1, resamples: 40).law
    #expect(Self.isNear(law.alpha, 0.0200058))
    #expect(Self.isNear(law.beta, 0.0199997))
    #expect(Self.isNear(law.gamma, 1.000005))
    #expect(Self.isNear(try #require(law.peak).load, 7, relative: 1e-3))
  }

  @Test("a data set whose best β is 0 has no peak, and no error of β")
  func noPeak() throws {
    let amdahl = ScalabilityLaw(alpha: 0.1, beta: 0, gamma: 100)
    // Bends upwards at its end: unbounded, β would be negative.
    let loads = [1.0, 2, 4, 8, 16, 32]
    let throughputs = zip(loads, [1, 1, 0.99, 0.99, 1.0, 1.03]).map {
      amdahl.throughput(at: $0) * $1
    }
    let fit = try LawFit(Self.points(loads, throughputs), seed: 1, resamples: 40)
    #expect(fit.law.beta == 0)
    #expect(fit.law.peak == nil)
    #expect(fit.peakLoad == nil)
    #expect(fit.standardErrors[1] == nil)
    #expect(fit.law.alpha > 0.05 && fit.law.alpha < 0.15)
  }

  @Test("fewer than six loads, or a load of zero, are not fitted")
  func refusals() {
    #expect(throws: LawFit.FitError.tooFewPoints(5)) {
      try LawFit(Array(Self.specsdm91.prefix(5)), seed: 1, resamples: 40)
    }
    #expect(throws: LawFit.FitError.self) {
      try LawFit(Self.specsdm91 + [.init(load: 0, throughput: 1)], seed: 1, resamples: 40)
    }
  }

  @Test("the text separates measured, extrapolated and unknown figures")
  func extrapolation() throws {
    let fit = try LawFit(Self.specsdm91, seed: 1, resamples: 40)
    guard case .measured = fit.throughput(at: 100) else { return #expect(Bool(false)) }
    guard case .extrapolated(_, let factor) = fit.throughput(at: 324) else {
      return #expect(Bool(false))
    }
    #expect(factor == 1.5)
    #expect(fit.throughput(at: 433) == .refused(factor: 433.0 / 216))
  }

  @Test(
    "inverses return the load",
    arguments: [
      ScalabilityLaw(alpha: 0.0277, beta: 0.000104, gamma: 90),
      ScalabilityLaw(alpha: 0.02, beta: 0.02, gamma: 1),
      ScalabilityLaw(alpha: 0.1, beta: 0, gamma: 100),
      ScalabilityLaw(alpha: 0, beta: 0.001, gamma: 5),
    ])
  func roundTrips(law: ScalabilityLaw) throws {
    for load in [1.5, 2, 3.7, 6.5] {
      let byThroughput = try #require(law.load(atThroughput: law.throughput(at: load)))
      #expect(Self.isNear(byThroughput, load, relative: 1e-9))
      let response = law.response(at: load)
      #expect(Self.isNear(try #require(law.load(atResponse: response)), load, relative: 1e-9))
      #expect(
        Self.isNear(
          try #require(law.throughput(atResponse: response)), law.throughput(at: load),
          relative: 1e-9))
    }
    if let peak = law.peak {
      #expect(law.load(atThroughput: peak.throughput * 1.001) == nil)
    }
  }

  @Test("an uncertain peak is left out of the record, which can still be written")
  func uncertainPeak() throws {
    // Nearly straight: some of the resampled laws bend down, others do not.
    let points = zip(1..., [100.0, 197, 296, 383, 481, 558, 660, 725]).map {
      LawFit.Point(load: Double($0), throughput: $1)
    }
    let fit = try LawFit(points, seed: 1)
    #expect(try #require(fit.peakLoad).high == .infinity)
    let record = LawRecord(fit, loads: "cores")
    #expect(record.peakLoad == nil && record.mayHavePeak)
    #expect(JSONValue(encoding: record) != .null)
  }
}
