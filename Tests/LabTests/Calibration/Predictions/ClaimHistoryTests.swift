import Core
import Scenarios
import TestSupport
import Testing
@testable import flotilla_lab

@Suite("History of a calibration", .quick)
struct ClaimHistoryTests {
  private static func table(_ value: Double) -> CalibrationTable {
    CalibrationTable([
      CalibrationRow(
        id: "C1", claim: "", source: "", kind: .predicted, unit: "", band: Band(2.5, 3.5),
        measured: Ratio(value: value, low: value - 0.1, high: value + 0.1))
    ])
  }

  private static func run(
    _ commit: String, _ seeds: CalibrationBench.Seeds = .main
  ) -> ClaimHistory.Run {
    ClaimHistory.Run(date: "2026-11-22", commit: commit, seeds: seeds)
  }

  @Test("a calibration appends one line per row, and the header to an empty file")
  func appends() {
    let first = ClaimHistory.text(Self.table(3), Self.run("abc"), after: "")
    #expect(
      first == """
        date,commit,seeds,id,kind,value,low,high,verdict
        2026-11-22,abc,main,C1,predicted,3,2.9,3.1,pass

        """)
    let second = ClaimHistory.text(Self.table(2.4), Self.run("def"), after: first)
    #expect(second == "2026-11-22,def,main,C1,predicted,2.4,2.3,2.5,short\n")
  }

  @Test("a row drifts if its verdict or value changes with the same seeds")
  func drifts() {
    let file = ClaimHistory.text(Self.table(3), Self.run("abc"), after: "")
    func drift(_ value: Double, _ seeds: CalibrationBench.Seeds = .main) -> [String] {
      ClaimHistory.drift(Self.table(value), Self.run("def", seeds), since: file)
    }
    #expect(drift(3.05).isEmpty)
    #expect(drift(3.2) == ["C1: 3 pass at abc (2026-11-22), now 3.2 pass"])
    #expect(drift(2.4) == ["C1: 3 pass at abc (2026-11-22), now 2.4 short"])
    #expect(drift(2.4, .other).isEmpty)
  }
}
