import Core
import TestSupport
import Testing

@testable import ServerLogic

@Suite("Freshness", .quick)
struct FreshnessTests {
  @Test("phone-time is integrated exactly from arrival to arrival, with never kept separate")
  func exact() {
    var line = Timeline(phones: 2)
    line.register(1)
    line.backend.openMeasure(at: Timeline.minute(0))
    // Phone 0 never reports. Phone 1: never 0–10, age 0–40 min in 10–50, 2–12 min in 50–60.
    line.report(1, at: 10)
    line.report(1, at: 50, taken: 48)
    line.backend.closeMeasure(at: Timeline.minute(60))
    line.report(1, at: 70)
    let sum = line.backend.freshness(at: Timeline.minute(90))
    #expect(sum.installed.never == SimDuration.minutes(70).microseconds)
    #expect(sum.installed.total == .minutes(120))
    #expect(sum.reachable.total == .minutes(60))
    #expect(sum.reachable.never == SimDuration.minutes(10).microseconds)
    // Within 30 min: 30 of the first stretch and all of the second.
    #expect(sum.reachable.share(within: .minutes(30)) == 40.0 / 60)
  }

  @Test("each part of the fleet has its pushes and ages, once the cohorts of its phones are known")
  func parts() {
    var line = Timeline(phones: 4, partOfCohort: [0, 1, 1]) { $0.silentAfter = .minutes(30) }
    for phone in 0..<3 as Range<UInt32> {
      line.register(phone)
      line.backend.note(PhoneID(rawValue: phone), cohort: Int(phone))
      line.report(phone, at: 0)
    }
    line.backend.note(PhoneID(rawValue: 3), cohort: 9)
    line.backend.openMeasure(at: Timeline.minute(0))
    #expect(line.pushes(from: 1, through: 33).map(\.phone).sorted() == [0, 1, 2])
    line.report(2, at: 35)
    line.backend.closeMeasure(at: Timeline.minute(60))
    let parts = line.backend.parts.wake
    #expect(parts.map { $0[.pushesRequested] } == [1, 2])
    #expect(parts.map { $0[.pushesAnswered] } == [0, 1])
    #expect(line.backend.wake[.pushesRequested] == 3)
    let ages = line.backend.freshness(at: Timeline.minute(60)).parts
    #expect(ages.map(\.total) == [.minutes(60), .minutes(120)])
    #expect(ages.map { $0.share(within: .minutes(30)) } == [0.5, (30.0 + 55) / 120])
  }

  @Test("an older fix that arrives late does not make a phone fresher")
  func late() {
    var line = Timeline(phones: 1)
    line.backend.openMeasure(at: Timeline.minute(0))
    line.report(0, at: 10, taken: 10)
    line.report(0, at: 20, taken: 5)
    #expect(
      line.backend.lastSeen(PhoneID(rawValue: 0)).newestFix == FixTime(Timeline.minute(10)))
    let now = line.backend.freshness(at: Timeline.minute(40)).installed
    #expect(now.share(within: .minutes(30)) == 30.0 / 40)
    #expect(now.share(within: .minutes(15)) == 15.0 / 40)
  }

  @Test("a phone that loses its permission is no longer reachable")
  func leaves() {
    var line = Timeline(phones: 1)
    line.register(0)
    line.report(0, at: 0)
    line.backend.openMeasure(at: Timeline.minute(0))
    line.register(0, .denied, at: 15)
    line.backend.closeMeasure(at: Timeline.minute(60))
    #expect(line.backend.freshness(at: Timeline.minute(60)).reachable.total == .minutes(15))
    #expect(line.backend.freshness(at: Timeline.minute(60)).installed.total == .minutes(60))
  }
}
