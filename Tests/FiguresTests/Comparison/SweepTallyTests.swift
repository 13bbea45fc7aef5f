import TestSupport
import Testing
@testable import Core
@testable import Figures

@Suite("Sweep figures of one run", .quick)
struct SweepTallyTests {
  /// One block of phones: ten days, a number of pushes, stale minutes and joules.
  private static func tally(pushes: Double, stale: Double, joules: Double) -> SweepTally {
    var one = ComparedTally()
    one[.phoneDays] = 10
    one[.pushes] = pushes
    one[.total] = 86_400 * 10
    one[.fresh] = 86_400 * 10 - stale * 60
    one[.batteryPercent] = 5
    one[.joules] = joules
    return SweepTally(reachable: one.row, installed: one.row)
  }

  private static func value(_ figure: StudyFigure, _ tally: SweepTally) -> Double? {
    SweepTally.value(figure, of: tally.rows)
  }

  @Test("effect per push and per joule: the value without pushes less the value with them")
  func removed() {
    let without = Self.tally(pushes: 0, stale: 1_000, joules: 400)
    let pair = Self.tally(pushes: 50, stale: 700, joules: 500).beside(without)
    #expect(Self.value(.removed, pair) == 30)
    #expect(Self.value(.removedPerPush, pair) == 6)
    #expect(Self.value(.removedPerJoule, pair) == 3)
    #expect(Self.value(.extraJoules, pair) == 10)
    #expect(Self.value(.pushes, pair) == 5)
    #expect(Self.value(.battery, pair) == 0.5)
  }

  @Test("without pushes, or without their cost, there is no ratio")
  func nothing() {
    let without = Self.tally(pushes: 0, stale: 1_000, joules: 400)
    #expect(Self.value(.removed, without.beside(without)) == 0)
    #expect(Self.value(.removedPerPush, without.beside(without)) == nil)
    #expect(Self.value(.removedPerJoule, without.beside(without)) == nil)
    let cheap = Self.tally(pushes: 5, stale: 900, joules: 399).beside(without)
    #expect(Self.value(.removedPerJoule, cheap) == nil)
  }
}
