import Core
import Foundation
import Phone
import Scenarios
import Synchronization
import TestSupport
import Testing
@testable import flotilla_lab

/// Uses cheap measures of the test; judges no claim.
@Suite("Shared worlds", .quick)
struct ClaimRunTests {
  static func bench(threads: Int) -> CalibrationBench {
    CalibrationBench(
      seeds: .main, library: PublishedClaimTests.bench.library, dataFolder: nil, threads: threads)
  }

  static let people = PeoplePlan(scenario: "city", people: 12, days: 2)

  static func measure(_ id: String, _ plan: PeoplePlan) -> ClaimMeasure {
    ClaimMeasure(
      id, .people(plan) { PhoneFigures(part: $0.indoorSeconds, whole: $0.totalSeconds) }, .share)
  }

  @Test("two measures of one world simulate it once per seed")
  func shared() throws {
    let run = ClaimRun(
      measures: [Self.measure("a", Self.people), Self.measure("b", Self.people)],
      bench: Self.bench(threads: 2))
    #expect(run.jobCount == ClaimRun.seeds)
    let calls = Mutex(0)
    let values = try run.values { _, _, _ in
      calls.withLock { $0 += 1 }
      return true
    }
    #expect(calls.withLock { $0 } == ClaimRun.seeds)
    let first = try #require(values[0]?.first?.measured)
    #expect(values[1]?.first?.measured == first)
    #expect(first.low < first.value && first.value < first.high && first.value > 0.5)
  }

  @Test("each phone has one value, from all parts of a case")
  func phones() throws {
    let part = ClaimPart.people(Self.people) { PhoneFigures(values: [$0.indoorSeconds]) }
    let ratio = ClaimCase("", [part, part]) { parts in
      guard let above = Sample.mean(parts[0].flatMap(\.values)),
        let below = Sample.mean(parts[1].flatMap(\.values)), below > 0
      else { return nil }
      return above / below
    }
    let figures = [[6, 2, 1.0], [3, 4, 0]].map { $0.map { PhoneFigures(values: [$0]) } }
    #expect(ratio.phones(figures) == [2, 0.5])
    let run = ClaimRun(measures: [Self.measure("a", Self.people)], bench: Self.bench(threads: 2))
    let value = try #require(try run.values { _, _, _ in true }[0]?.first)
    let (low, high) = (try #require(value.phones?.low), try #require(value.phones?.high))
    let measured = try #require(value.measured)
    #expect(low < measured.low && measured.high < high, "people differ more than their mean")
  }

  @Test("the mode is the most frequent value over phones, of several the largest")
  func mode() {
    func mode(_ phones: [[Double]]) -> Double? {
      ClaimStatistic.mode.value(of: phones.map { PhoneFigures(values: $0) })
    }
    #expect(mode([[24, 24, 20], [24, 3], [3, 20]]) == 24)
    #expect(mode([[1, 2], [2, 1, 0]]) == 2 && mode([[], []]) == nil)
  }

  @Test("the number of threads changes no value")
  func threads() throws {
    let measures = [
      Self.measure("a", Self.people),
      Self.measure("b", PeoplePlan(scenario: "country", people: 9, days: 1)),
    ]
    let values = try [1, 3].map { threads in
      try ClaimRun(measures: measures, bench: Self.bench(threads: threads))
        .values { _, _, _ in true }.map { $0?.map(\.measured) }
    }
    #expect(values[0] == values[1])
  }

  @Test("a stopped run has no value for cases without all seeds")
  func stopped() throws {
    let run = ClaimRun(measures: [Self.measure("a", Self.people)], bench: Self.bench(threads: 1))
    let values = try run.values { _, number, _ in number < 3 }
    #expect(values.count == 1 && values[0] == nil)
  }

  @Test("a person is always indoors, outdoors or travelling")
  func wholeTime() throws {
    let scenario = try ClaimWorld.people(Self.people).scenario(
      Self.bench(threads: 1).library, seed: 5)
    for person in Self.people.live(scenario) {
      let sum =
        person.indoorSeconds + person.outdoorStaySeconds + person.seconds(by: TravelMode.allCases)
      #expect(abs(sum - person.totalSeconds) < 1e-3)
    }
  }

  @Test("a tracker that rests uses less power at rest than in motion")
  func power() throws {
    let plan = FleetPlan(policy: "elastic", system: "ios17").with {
      $0.phones = 6
      $0.traced = nil
      $0.start = "2026-03-03T06:00"
      $0.duration = "14h"
      $0.metersEvery = .minutes(10)
    }
    let scenario = try ClaimWorld.fleet(plan).scenario(Self.bench(threads: 1).library, seed: 7)
    let phones = LivedPhone.all(of: plan.live(scenario))
    let moving = try #require(Sample.median(phones.flatMap { $0.watts(while: .moving) }))
    let resting = try #require(Sample.median(phones.flatMap { $0.watts(while: .resting) }))
    #expect(moving > 3 * resting, "\(moving) W moving, \(resting) W at rest")
    // The last reading of the meters equals the fleet's account.
    for phone in phones {
      let last = Double(phone.fleet.meters.last?[phone.number] ?? 0) / 1e6
      #expect(abs(last / 14 / 3_600 - phone.trackingWatts) < 1e-3)
    }
  }
}
