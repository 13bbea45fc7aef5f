package import Core
package import Scenarios

package enum RowKind: String, CaseIterable, Sendable, Codable {
  case rule
  /// The row is true by construction, such as a distribution or the order of two constants.
  case constructed
  case fitted
  case assumed
  case predicted
}

extension Band {
  /// Returns the verdict on a measured value; `skipped` for nil.
  package func verdict(_ measured: Ratio?) -> CalibrationRow.Verdict {
    guard let measured else { return .skipped }
    guard contains(measured.value) else { return .short }
    return contains(measured.low) && contains(measured.high) ? .pass : .edge
  }
}

package struct CalibrationRow: Equatable, Sendable {
  /// Whether the whole 95 % interval lies in the band (`pass`), only the value (`edge`), or not
  /// even the value (`short`).
  package enum Verdict: String, CaseIterable, Sendable, Codable { case pass, edge, short, skipped }

  /// The id: C… for claims, S… for statistics of recorded traces, R… for comparisons with them.
  package var id: String
  package var claim: String
  package var source: String
  /// The names of the OS, significant-change and energy profiles; "–" if none matters.
  package var profile = "–"
  package var kind: RowKind
  /// The unit; empty for a pure number.
  package var unit: String
  package var band: Band
  /// The measured value with its 95 % interval; nil if not measured, for the reason in `note`.
  package var measured: Ratio?
  package var note = ""

  package var verdict: Verdict { band.verdict(measured) }
}
