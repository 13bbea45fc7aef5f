/// One line of `scenarios/claims/history.csv`: a calibration's finding for one value.
package struct ClaimFinding: Equatable, Sendable {
  package let date, commit, seeds, id, kind: String
  /// The measured value and its range; empty if nothing was measured.
  package let value, low, high: String
  package let verdict: String

  package init(
    date: String, commit: String, seeds: String, id: String, kind: String, value: String,
    low: String, high: String, verdict: String
  ) {
    (self.date, self.commit, self.seeds, self.id, self.kind) = (date, commit, seeds, id, kind)
    (self.value, self.low, self.high, self.verdict) = (value, low, high, verdict)
  }

  /// Parses a line; nil for the header or a line of another file.
  package init?(_ line: Substring) {
    let cells = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard cells.count == 9, cells[0] != "date" else { return nil }
    self.init(
      date: cells[0], commit: cells[1], seeds: cells[2], id: cells[3], kind: cells[4],
      value: cells[5], low: cells[6], high: cells[7], verdict: cells[8])
  }

  package var line: String {
    [date, commit, seeds, id, kind, value, low, high, verdict].joined(separator: ",")
  }
}
