import Core
import Scenarios
import TestSupport
import Testing
@testable import flotilla_lab

@Suite("Rows of the calibration table", .quick)
struct CalibrationRowTests {
  static func row(
    _ measured: Double?, _ band: Band, within width: Double = 0
  ) -> CalibrationRow {
    CalibrationRow(
      id: "C1", claim: "", source: "", kind: .predicted, unit: "", band: band,
      measured: measured.map { Ratio(value: $0, low: $0 - width, high: $0 + width) })
  }

  @Test("a value in its band passes, outside is short, and a missing one is skipped")
  func verdicts() {
    #expect(Self.row(3, Band(2.5, 3.5)).verdict == .pass)
    #expect(Self.row(2.5, Band(2.5, 3.5)).verdict == .pass)
    #expect(Self.row(3.6, Band(2.5, 3.5)).verdict == .short)
    #expect(Self.row(2.4, Band(2.5, nil)).verdict == .short)
    #expect(Self.row(1e9, Band(2.5, nil)).verdict == .pass)
    #expect(Self.row(nil, Band(2.5, nil)).verdict == .skipped)
  }

  @Test("a row passes only if its whole interval is in the band")
  func edges() {
    #expect(Self.row(3, Band(2.5, 3.5), within: 0.5).verdict == .pass)
    #expect(Self.row(3, Band(2.5, 3.5), within: 0.6).verdict == .edge)
    #expect(Self.row(2.6, Band(2.5, 3.5), within: 0.2).verdict == .edge)
    #expect(Self.row(3.6, Band(2.5, 3.5), within: 0.5).verdict == .short)
    let table = CalibrationTable([Self.row(2.6, Band(2.5, 3.5), within: 0.2)])
    #expect(table.isMissed && table.closing.hasSuffix("1 edge, 0 short, 0 skipped"))
    #expect(table.closing.contains("predicted 0 of 1"))
  }
}
