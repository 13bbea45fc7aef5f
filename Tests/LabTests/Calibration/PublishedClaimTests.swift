import Core
import Fleet
import Foundation
import Scenarios
import TestSupport
import Testing
@testable import flotilla_lab

/// Claims about whole trackers that are cheap enough to simulate in every test run.
@Suite("Published claims on a dozen phones", .quick)
struct PublishedClaimTests {
  static let bench = CalibrationBench(
    seeds: .main,
    library: ScenarioLibrary(folders: [
      URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("scenarios").path
    ]), dataFolder: nil, threads: 2)

  static func lived(_ policy: String) throws -> TracedFleet {
    try TracedFleet(
      bench, "claims", seed: 31,
      settings: [
        "fleet.phones=12", "duration=12h", "warmStart=6h", "start=2026-03-03T08:00",
        "fleet.cohorts[0].os=ios12", "fleet.cohorts[0].energy=legacy2015",
        "fleet.cohorts[0].policy=\(policy)",
      ])
  }

  @Test("SL9: significant changes alone show at most one per cent on a battery screen")
  func frugal() throws {
    let share = try #require(Sample.median(Self.lived("significant-change").screenPercents))
    #expect(share > 0 && share <= 1.2, "\(share) %")
  }

  @Test("AC7: a service that is never off leads the battery list")
  func greedy() throws {
    let always = try #require(Sample.median(Self.lived("owntracks-move").trackingWatts))
    for policy in ["hybrid", "significant-change", "elastic", "radar-responsive"] {
      let other = try #require(Sample.median(Self.lived(policy).trackingWatts))
      #expect(always > 2 * other, "\(policy): \(other) W of \(always) W")
    }
  }

  @Test("RS1: hybrid brings more coordinates than significant changes with visits, and costs more")
  func hybrid() throws {
    let hybrid = try Self.lived("hybrid")
    let base = try Self.lived("owntracks-significant")
    #expect(hybrid.fleet.metrics()[.fixesPersisted] > base.fleet.metrics()[.fixesPersisted])
    let more = try #require(Sample.median(hybrid.screenPercents))
    let less = try #require(Sample.median(base.screenPercents))
    #expect(more > less && more < 4, "\(more) % and \(less) %")
  }
}
