internal import Core
internal import Foundation
package import Scenarios

package struct CalibrationTable: Sendable {
  package let rows: [CalibrationRow]
  package let claims: [JudgedClaim]
  /// The evidence from the recorded intervals; nil if there are none.
  package let evidence: ClaimEvidence?

  package init(
    _ rows: [CalibrationRow], _ claims: [JudgedClaim] = [], _ evidence: ClaimEvidence? = nil
  ) {
    self.rows = rows
    self.claims = claims
    self.evidence = evidence
  }

  package static func sorted(
    _ rows: [CalibrationRow], _ claims: [JudgedClaim] = [], _ evidence: ClaimEvidence? = nil
  ) -> CalibrationTable {
    CalibrationTable(rows.sorted { $0.order < $1.order }, claims, evidence)
  }

  /// Whether a measured value, or part of its interval, is outside the band.
  package var isMissed: Bool {
    let verdicts = rows.map(\.verdict) + claims.map(\.verdict)
    return verdicts.contains(.short) || verdicts.contains(.edge)
  }

  // MARK: Text

  /// Plain text: the recorded score, claims, rows, counts, and the notes of rows that do not pass.
  package var text: String {
    var lines = [score, ""]
    if !claims.isEmpty { lines += claimLines + [""] }
    if !rows.isEmpty { lines += rowLines + ["", closing] + shortNotes }
    return lines.joined(separator: "\n")
  }

  private var score: String {
    evidence.map { "\($0.line) (recorded at \($0.commit))" }
      ?? "no intervals are recorded: flotilla-lab calibrate --ranges 64 --record"
  }

  private var rowLines: [String] {
    let header = ["id", "claim", "source", "profile", "kind", "band", "measured [95 %]", "verdict"]
    return Self.aligned(header, rows.map(\.cells))
  }

  private var claimLines: [String] {
    let header = [
      "registered", "kind", "weight", "figure", "band", "measured [95 %]", "phones 5–95 %",
      "verdict",
    ]
    return Self.aligned(header, claims.flatMap(\.cells))
  }

  static func aligned(_ header: [String], _ cells: [[String]]) -> [String] {
    var widths = header.map(\.count)
    for line in cells {
      for (column, cell) in line.enumerated() { widths[column] = max(widths[column], cell.count) }
    }
    func line(_ cells: [String]) -> String {
      let padded = zip(cells, widths).map { $0.padding(to: $1) }
      return padded.joined(separator: "  ").trimmingCharacters(in: .whitespaces)
    }
    let rule = widths.map { String(repeating: "─", count: $0) }.joined(separator: "  ")
    return [line(header), rule] + cells.map(line)
  }

  package var closing: String {
    let kinds = RowKind.allCases.map { kind in
      let own = rows.filter { $0.kind == kind }
      return "\(kind.rawValue) \(own.count { $0.verdict == .pass }) of \(own.count)"
    }
    func count(_ verdict: CalibrationRow.Verdict) -> String {
      "\(rows.count { $0.verdict == verdict }) \(verdict.rawValue)"
    }
    return "\(rows.count) rows, passed by kind: \(kinds.joined(separator: ", ")); "
      + [.edge, .short, .skipped].map(count).joined(separator: ", ")
  }

  private var shortNotes: [String] {
    rows.filter { $0.verdict != .pass && !$0.note.isEmpty }
      .map { "\($0.id) \($0.verdict.rawValue): \($0.note)" }
  }
}

extension CalibrationRow {
  /// The sort key: letters, number and rest, so that C2 precedes C10, and C1 precedes C1a and C2.
  fileprivate var order: (String, Int, String) {
    let letters = id.prefix { $0.isLetter }
    let digits = id.dropFirst(letters.count).prefix { $0.isNumber }
    return (
      String(letters), Int(digits) ?? 0, String(id.dropFirst(letters.count + digits.count))
    )
  }

  fileprivate var cells: [String] {
    [
      id, claim, source, profile, kind.rawValue, band.text(unit), Band.text(of: measured),
      verdict.rawValue,
    ]
  }
}

extension JudgedClaim {
  fileprivate var cells: [[String]] {
    let band = claim.band.text(claim.unit)
    let figure = Figure.quantity(claim.observation.value)
    func line(
      _ name: String, _ measured: String, _ phones: String, _ verdict: String
    ) -> [String] {
      let id = name.isEmpty ? claim.id : "\(claim.id), \(name)"
      return [
        id, claim.kind.rawValue, claim.weight.rawValue, figure, band, measured, phones, verdict,
      ]
    }
    if values.isEmpty { return [line("", "–", "", "not judged: \(reason)")] }
    return values.map { value in
      line(
        value.name, Band.text(of: value.measured), value.phones?.text("") ?? "",
        value.measured == nil ? "not judged: \(reason)" : value.verdict.rawValue)
    }
  }
}

extension Band {
  fileprivate func text(_ unit: String) -> String {
    let suffix = unit.isEmpty ? "" : " \(unit)"
    switch (low, high) {
    case (let low?, let high?) where low == high: return "= \(Figure.quantity(low))\(suffix)"
    case (let low?, let high?): return "\(Figure.quantity(low)) – \(Figure.quantity(high))\(suffix)"
    case (let low?, nil): return "≥ \(Figure.quantity(low))\(suffix)"
    case (nil, let high?): return "≤ \(Figure.quantity(high))\(suffix)"
    case (nil, nil): return "any"
    }
  }

  fileprivate static func text(of measured: Ratio?) -> String {
    guard let measured else { return "–" }
    let value = Figure.quantity(measured.value)
    if measured.low == measured.high { return value }
    return "\(value) [\(Figure.quantity(measured.low)) – \(Figure.quantity(measured.high))]"
  }
}

extension String {
  fileprivate func padding(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
