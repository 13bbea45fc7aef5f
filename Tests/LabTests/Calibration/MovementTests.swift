import Core
import Foundation
import Scenarios
import TestSupport
import Testing
@testable import flotilla_lab

@Suite("Movement compared with surveys and traces", .quick)
struct MovementTests {
  /// Few people, for a quick test: bands are widened by 10 % of their bounds.
  static let city = MovementMetrics(.movers(.kilometers(12)), people: 100, tracedDays: 1)

  static let ids = city.measures.filter { $0.scenario == "city" }.map(\.id)

  @Test("the default people match published figures of a city", arguments: ids)
  func claims(id: String) throws {
    let measure = try #require(Self.city[id])
    let figure = try #require(measure.figure)
    let slack = 0.1 * max(abs(measure.band.lowerBound), abs(measure.band.upperBound))
    let band = (measure.band.lowerBound - slack)...(measure.band.upperBound + slack)
    #expect(band.contains(figure), "\(measure.claim): \(figure) \(measure.unit)")
  }

  @Test("a figure of some people depends only on them")
  func resample() throws {
    let stays = try #require(Self.city["stays"])
    #expect(stays.people == Self.city.phones.count)
    let one = try #require(stays.figure(of: [3]))
    #expect(stays.figure(of: [3, 3, 3]) == one)
    #expect(stays.figure(of: []) == nil)
  }

  @Test(
    "the motif of a day does not depend on names of places",
    arguments: [
      ([0], true), ([0, 1, 0], true), ([0, 1, 9, 1, 0], true), ([0, 1, 2, 3, 0], true),
      ([0, 1, 0, 2, 0, 3, 4, 0], true), ([0, 1, 2, 0, 3, 4, 0], true),
      ([0, 1, 2, 1, 3, 2, 0], false), ([0, 1, 2, 3, 4, 5, 6, 0], false),
    ])
  func motifs(places: [UInt16], isCommon: Bool) {
    #expect(MovementMotif.isCommon(places) == isCommon)
  }

  @Test("maximum likelihood finds the true exponent")
  func exponent() throws {
    var draw = Draw(seed: 5, phone: 0, Purpose(rawValue: 1_900))
    var moments = MovementSamples.Moments()
    for _ in 0..<40_000 {
      // The inverse of a density r^-1.7 between 1 and 50.
      let tail = pow(50, -0.7)
      moments.add(pow(1 - draw.uniform() * (1 - tail), -1 / 0.7))
    }
    let found = try #require(
      MovementSamples.powerLaw(from: 1, to: 50, [moments]).figure(of: [0]))
    #expect(abs(found - 1.7) < 0.03, "\(found)")
  }

  @Test("quantiles, distances and growth match manual results")
  func arithmetic() throws {
    var tally = MovementSamples.Tally(limit: 100)
    for value in 0..<100 { tally.add(Double(value)) }
    let median = try #require(MovementSamples.quantile(0.5, [tally]).figure(of: [0]))
    #expect(abs(median - 50) < 1)
    let variation = MovementSamples.variation(from: [1, 1], [[3, 1]]).figure(of: [0])
    #expect(variation == 0.25)
    let growth = try #require(
      MovementSamples.growth(times: [1, 4, 16], [[3, 6, 12]]).figure(of: [0]))
    #expect(abs(growth - 0.5) < 1e-9)
  }
}

extension Scenario {
  /// Commuters, cyclists and homebodies in the shares of the shipped city.
  fileprivate static func movers(_ radius: Distance) -> Scenario {
    var scenario = Scenario.standard(phones: 100)
    scenario.name = "city"
    scenario.seed = 42
    scenario.city.radius = radius
    let kinds: [(MobilityKind, Double)] = [(.commuter, 0.7), (.cyclist, 0.2), (.homebody, 0.1)]
    scenario.fleet.cohorts = kinds.map { kind, share in
      var cohort = scenario.fleet.cohorts[0]
      cohort.mobility = .agenda(kind)
      cohort.share = share
      return cohort
    }
    return scenario
  }
}
