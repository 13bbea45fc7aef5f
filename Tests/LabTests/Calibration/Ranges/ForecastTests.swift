import Core
import Foundation
import Scenarios
import TestSupport
import Testing
@testable import flotilla_lab

@Suite("Forecasts of published figures", .quick)
struct ForecastTests {
  static func observed(
    _ value: Double, _ error: ObservationError = .factor(1), _ of: ObservedOf = .populationMedian
  ) -> Observation {
    ClaimFixture.observation(value, error, of)
  }

  @Test("one value with a log-normal error has the quantiles and the CRPS of a normal distribution")
  func normal() throws {
    let sigma = 0.3
    for z in [-2.0, -0.5, 0, 1] {
      let observed = Self.observed(100 * exp(z * sigma), .factor(exp(sigma)))
      let forecast = try #require(Forecast([[100]], observed: observed))
      #expect(abs(forecast.quantile(0.95) - 100 * exp(1.644_853_6 * sigma)) < 1e-4)
      #expect(abs(forecast.share(below: observed.value) - 0.5 * erfc(-z / 2.0.squareRoot())) < 1e-9)
      // Gneiting and Raftery 2007: σ (z (2Φ(z) − 1) + 2φ(z) − 1/√π).
      let density = exp(-z * z / 2) / (2 * Double.pi).squareRoot()
      let expected =
        sigma
        * (z * (2 * Normal.share(below: z, sigma: 1) - 1) + 2 * density - 1 / Double.pi.squareRoot())
      let score = try #require(forecast.score(of: observed.value))
      #expect(abs(score - expected) < 1e-12, "\(z): \(score), \(expected)")
    }
  }

  @Test("without an error it is the distribution of the values, each group weighing one")
  func values() throws {
    let forecast = try #require(
      Forecast([[1], [2, 4, 8, 16]], observed: Self.observed(exp(1))))
    #expect(forecast.share(below: 1.5) == 0.5 && forecast.share(below: 3) == 0.625)
    // A value equal to the figure counts half.
    #expect(forecast.share(below: 1) == 0.25)
    #expect(abs(forecast.quantile(0.25) - 1) < 1e-9 && abs(forecast.quantile(0.95) - 16) < 1e-9)
    // Certain and wrong by a factor e.
    let certain = try #require(Forecast([[1]], observed: Self.observed(exp(1))))
    #expect(abs(try #require(certain.score(of: exp(1))) - 1) < 1e-12)
    #expect(Forecast([[], []], observed: Self.observed(1)) == nil)
  }

  @Test("the CRPS is the integral over the squared distance of the distributions")
  func integral() throws {
    let observed = Self.observed(5, .factor(1.2))
    let forecast = try #require(Forecast([[2, 3], [4], [9, 20, 21]], observed: observed))
    let step = 1e-4
    let sum = stride(from: -2.0, to: 6.0, by: step).reduce(0.0) { sum, place in
      let share = forecast.share(below: exp(place + step / 2))
      let distance = share - (place + step / 2 > log(5) ? 1 : 0)
      return sum + distance * distance * step
    }
    #expect(abs(try #require(forecast.score(of: 5)) - sum) < 1e-4)
  }

  @Test(
    "a value of nothing counts as a thousandth of the figure; a figure of nothing has no logarithm")
  func nothing() throws {
    let none = try #require(Forecast([[0]], observed: Self.observed(10)))
    #expect(abs(try #require(none.score(of: 10)) - log(1_000)) < 1e-9)
    #expect(abs(none.quantile(0.5) - 0.01) < 1e-9)
    let zero = try #require(Forecast([[0], [4]], observed: Self.observed(0, .absolute(5))))
    #expect(zero.score(of: 0) == nil)
    #expect(zero.quantile(0.05) < 0 && (0.2...0.5).contains(zero.share(below: 0)))
  }

  @Test("the PIT values of a calibrated model are uniform, and its intervals contain what they say")
  func calibrated() throws {
    var draw = Draw(seed: 5, phone: 0, .benchWaits)
    var pits: [Double] = []
    var (half, most) = (0, 0)
    let count = 500
    for number in 0..<count {
      // A parameter between 0 and 2, a log-normal factor per phone, and the error.
      func value() -> Double { exp(draw.uniform(0, 2) + 0.4 * draw.normal()) }
      let truth = value() * exp(0.2 * draw.normal())
      let groups = (0..<32).map { _ -> [Double] in
        let place = draw.uniform(0, 2)
        return (0..<4).map { _ in exp(place + 0.4 * draw.normal()) }
      }
      let observed = Self.observed(truth, .factor(exp(0.2)), .onePhone)
      let forecast = try #require(Forecast(groups, observed: observed))
      let interval = ClaimInterval(
        id: "", value: truth, quantiles: [], pit: forecast.share(below: truth), isReached: true,
        commit: "")
      pits.append(interval.pit)
      half += interval.contains(0.5) ? 1 : 0
      most += interval.contains(0.9) ? 1 : 0
      guard number % 10 == 0 else { continue }
      let ends = forecast.quantile(0.05)...forecast.quantile(0.95)
      #expect(interval.contains(0.9) == ends.contains(truth))
    }
    // Kolmogorov and Smirnov: above 1.63/√n with a probability of 1 %.
    let furthest = pits.sorted().enumerated().map { place, pit in
      max(abs(pit - Double(place) / Double(count)), abs(pit - Double(place + 1) / Double(count)))
    }.max()
    #expect(try #require(furthest) < 1.63 / Double(count).squareRoot())
    #expect(abs(Double(half) / Double(count) - 0.5) < 0.06, "\(half)")
    #expect(abs(Double(most) / Double(count) - 0.9) < 0.04, "\(most)")
  }
}
