internal import Foundation
internal import Measure

/// The rows of a calibration as text, CSV or JSON.
package struct CalibrationTable: Sendable {
  /// Holds the rows in the order in which every format prints them.
  package let rows: [CalibrationRow]

  /// Makes a table of rows in the order given.
  package init(_ rows: [CalibrationRow]) { self.rows = rows }

  /// In the order in which claims are numbered: C1, C2, … C16, S1 …
  package static func sorted(_ rows: [CalibrationRow]) -> CalibrationTable {
    CalibrationTable(rows.sorted { $0.order < $1.order })
  }

  /// Is true where at least one measured value lies outside its band.
  package var isShort: Bool { rows.contains { $0.verdict == .short } }

  // MARK: Text

  /// Renders an aligned plain-text table, followed by the counts and the notes of rows that do not
  /// pass.
  package var text: String {
    let header = ["id", "claim", "source", "profile", "kind", "band", "measured [95 %]", "pass"]
    let cells = rows.map(\.cells)
    var widths = header.map(\.count)
    for line in cells {
      for (column, cell) in line.enumerated() { widths[column] = max(widths[column], cell.count) }
    }
    func line(_ cells: [String]) -> String {
      let padded = zip(cells, widths).map { $0.padding(to: $1) }
      return padded.joined(separator: "  ").trimmingCharacters(in: .whitespaces)
    }
    let rule = widths.map { String(repeating: "─", count: $0) }.joined(separator: "  ")
    return ([line(header), rule] + cells.map(line) + ["", closing] + shortNotes)
      .joined(separator: "\n")
  }

  /// Counts of each kind, and of each verdict.
  package var closing: String {
    let kinds = RowKind.allCases.map { kind in
      let own = rows.filter { $0.kind == kind }
      return "\(kind.rawValue) \(own.count { $0.verdict == .pass }) of \(own.count)"
    }
    let short = rows.count { $0.verdict == .short }
    let skipped = rows.count { $0.verdict == .skipped }
    return "\(rows.count) rows, passed by kind: \(kinds.joined(separator: ", ")); "
      + "\(short) short, \(skipped) skipped"
  }

  private var shortNotes: [String] {
    rows.filter { $0.verdict != .pass && !$0.note.isEmpty }
      .map { "\($0.id) \($0.verdict.rawValue): \($0.note)" }
  }

  // MARK: CSV and JSON

  /// Renders CSV with one row a claim, a header and no trailing newline; bounds and values that do
  /// not exist are empty fields.
  package var csv: String {
    let header = "id,claim,source,profile,kind,unit,band_low,band_high,value,low,high,verdict,note"
    let lines = rows.map { row in
      [
        row.id, row.claim, row.source, row.profile, row.kind.rawValue, row.unit,
        row.band.low.map(Figure.plain) ?? "", row.band.high.map(Figure.plain) ?? "",
        row.measured.map { Figure.plain($0.value) } ?? "",
        row.measured.map { Figure.plain($0.low) } ?? "",
        row.measured.map { Figure.plain($0.high) } ?? "", row.verdict.rawValue, row.note,
      ].map(Self.quoted).joined(separator: ",")
    }
    return ([header] + lines).joined(separator: "\n")
  }

  private static func quoted(_ field: String) -> String {
    guard field.contains(where: { $0 == "," || $0 == "\"" || $0.isNewline }) else { return field }
    return "\"" + field.replacingOccurrences(of: "\"", with: "\"\"") + "\""
  }

  /// Renders pretty-printed JSON of schema `flotilla.calibration/1`; throws what the encoder
  /// throws, such as for a value that is not finite.
  package func json() throws -> String {
    struct Row: Encodable {
      let id, claim, source, profile, kind, unit: String
      let bandLow, bandHigh: Double?
      let measured: Ratio?
      let verdict, note: String
    }
    struct Document: Encodable {
      let schema = "flotilla.calibration/1"
      let rows: [Row]
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let document = Document(
      rows: rows.map {
        Row(
          id: $0.id, claim: $0.claim, source: $0.source, profile: $0.profile,
          kind: $0.kind.rawValue, unit: $0.unit, bandLow: $0.band.low, bandHigh: $0.band.high,
          measured: $0.measured, verdict: $0.verdict.rawValue, note: $0.note)
      })
    return String(decoding: try encoder.encode(document), as: UTF8.self)
  }
}

extension CalibrationRow {
  /// Letters before numbers, numbers by value, then what follows: C2 before C10, C1a after C1.
  fileprivate var order: (String, Int, String) {
    let letters = id.prefix { $0.isLetter }
    let digits = id.dropFirst(letters.count).prefix { $0.isNumber }
    return (
      String(letters), Int(digits) ?? 0, String(id.dropFirst(letters.count + digits.count))
    )
  }

  fileprivate var cells: [String] {
    [
      id, claim, source, profile, kind.rawValue, bandText, measuredText,
      verdict == .pass ? "pass" : verdict.rawValue,
    ]
  }

  private var bandText: String {
    let suffix = unit.isEmpty ? "" : " \(unit)"
    switch (band.low, band.high) {
    case (let low?, let high?) where low == high: return "= \(Figure.quantity(low))\(suffix)"
    case (let low?, let high?): return "\(Figure.quantity(low)) – \(Figure.quantity(high))\(suffix)"
    case (let low?, nil): return "≥ \(Figure.quantity(low))\(suffix)"
    case (nil, let high?): return "≤ \(Figure.quantity(high))\(suffix)"
    case (nil, nil): return "any"
    }
  }

  private var measuredText: String {
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
