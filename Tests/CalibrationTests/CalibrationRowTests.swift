import Measure
import Testing

@testable import Calibration

@Suite("Rows of the calibration table", .timeLimit(.minutes(10)))
struct CalibrationRowTests {
  static func row(_ measured: Double?, _ band: Band) -> CalibrationRow {
    CalibrationRow(
      id: "C1", claim: "", source: "", kind: .predicted, unit: "", band: band,
      measured: measured.map { Ratio(value: $0, low: $0, high: $0) })
  }

  @Test("a value inside its band passes, outside falls short, and a missing one is skipped")
  func verdicts() {
    #expect(Self.row(3, Band(2.5, 3.5)).verdict == .pass)
    #expect(Self.row(2.5, Band(2.5, 3.5)).verdict == .pass)
    #expect(Self.row(3.6, Band(2.5, 3.5)).verdict == .short)
    #expect(Self.row(2.4, Band(2.5, nil)).verdict == .short)
    #expect(Self.row(1e9, Band(2.5, nil)).verdict == .pass)
    #expect(Self.row(nil, Band(2.5, nil)).verdict == .skipped)
  }
}
