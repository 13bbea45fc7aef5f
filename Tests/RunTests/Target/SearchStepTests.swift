import Core
import Figures
import TestSupport
import Testing

@testable import Run
@testable import Transport

@Suite("One step of a search for a target's capacity", .quick)
struct SearchStepTests {
  private static let begins = WallInstant(microseconds: 1_000_000)
  private static let levels = SearchStep.Levels(latency: .milliseconds(100), failedShare: 0.01)

  /// A hundred uploads a second for a second; each ends as `end` says, or not at all.
  private func step(
    _ end: (Int) -> (isStored: Bool, response: WallDuration)?, lag: WallDuration = .zero
  ) -> SearchStep {
    var step = SearchStep(load: 100, begins: Self.begins, Self.levels)
    for number in 0..<100 {
      step.offer(at: Self.begins + .milliseconds(Int64(number) * 10))
      guard let end = end(number) else { continue }
      step.end(
        isStored: end.isStored, status: end.isStored ? "200" : "503", response: end.response,
        lag: lag)
    }
    return step
  }

  private let over = begins + .milliseconds(1_100)

  @Test("uploads stored in time break no limit")
  func carried() {
    let step = step { _ in (true, .milliseconds(20)) }
    #expect(step.broken(at: over) == nil)
    #expect(step.isAnswered)
    let record = step.record(until: Self.begins + .seconds(1), broke: nil)
    #expect(record.stored == 100 && record.failed == 0 && record.open == 0 && record.seconds == 1)
    #expect(record.broke == nil && record.invalid == nil)
  }

  @Test("failures, late answers and missing answers each break a limit, by name")
  func broken() {
    let failed = step { (($0 % 20 > 0), .milliseconds(20)) }
    #expect(failed.broken(at: over) == "5.0 % of the uploads failed, most of them with 503")
    let late = step { (true, .milliseconds($0 % 20 > 0 ? 20 : 101)) }
    #expect(late.broken(at: over) == "5.0 % of the uploads took longer than 100 ms")
    let open = step { $0 < 90 ? (true, .milliseconds(20)) : nil }
    #expect(open.broken(at: over) == "10.0 % of the uploads took longer than 100 ms")
    #expect(!open.isAnswered)
    // Those that are not due yet are not late.
    #expect(open.broken(at: Self.begins + .seconds(1)) == nil)
  }

  @Test("two failures break no limit, and a few uploads decide nothing")
  func few() {
    let two = step { ($0 > 1, .milliseconds(20)) }
    #expect(two.broken(at: over) == nil)
    let none = step { _ in nil }
    #expect(none.broken(at: Self.begins + .milliseconds(250)) == nil)
    #expect(none.broken(at: Self.begins + .milliseconds(400)) != nil)
  }

  @Test("a step in which every phone waits for an answer breaks a limit")
  func starved() {
    var step = step { _ in nil }
    step.starve()
    #expect(
      step.broken(at: Self.begins)
        == "every phone waited for an answer, 100 uploads were unanswered")
  }

  @Test("a late generator makes a step not count")
  func late() {
    let step = step({ _ in (true, .milliseconds(200)) }, lag: .milliseconds(7))
    let record = step.record(until: over, broke: step.broken(at: over))
    #expect(record.broke == nil)
    #expect(record.invalid?.hasPrefix("the generator was more than") == true)
  }

  @Test("loads begin at a sixteenth of the limit and end at it")
  func loads() throws {
    let loads = TargetSearch.loads(upTo: 1_000)
    #expect(loads.last == 1_000)
    #expect(try #require(loads.first) >= 62.5 && loads[0] < 80)
    for (a, b) in zip(loads, loads.dropFirst()) { #expect(abs(b / a - 1.25) < 1e-9) }
  }
}
