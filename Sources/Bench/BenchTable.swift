internal import Foundation
internal import Measure

/// The rows of a bench as text or JSON.
package struct BenchTable: Sendable {
  package let rows: [BenchRow]

  package init(_ rows: [BenchRow]) { self.rows = rows }

  /// A line a figure: median, least and most; where there is a bar, that and what became of it.
  package var text: String {
    let hasBars = rows.contains { !$0.bars.isEmpty }
    var lines = [["bench", "parameters", "figure", "median", "min", "max"]]
    if hasBars { lines[0] += ["bar", "result"] }
    for row in rows {
      let parameters = row.parameters.map { "\($0.name) \(Self.text($0.value))" }
        .joined(separator: ", ")
      let missing = row.bars.map(\.figure).filter { row[$0] == nil }
      let figures = row.figures.map { ($0.name, Optional($0.value)) } + missing.map { ($0, nil) }
      for (place, (name, figure)) in figures.enumerated() {
        let left = place == 0 ? [row.bench, parameters] : ["", ""]
        let numbers = figure.map { [$0.median, $0.min, $0.max].map(Figure.plain) }
        let bar = row.results.first { $0.bar.figure == name }
        let right = hasBars ? bar.map(Self.cells) ?? ["", ""] : []
        lines.append(left + [name] + (numbers ?? ["—", "—", "—"]) + right)
      }
    }
    return Self.aligned(lines)
  }

  /// "n of m bars met", and which were not; nil where no row has a bar.
  package var summary: String? {
    let results = rows.flatMap { row in row.results.map { (row, $0) } }
    guard !results.isEmpty else { return nil }
    let missed = results.filter { !$0.1.isMet }.map { row, result in
      let parameters = row.parameters.filter { $0.name != "rounds" }
        .map { "\($0.name) \(Self.text($0.value))" }.joined(separator: ", ")
      return "  MISSED  \(row.bench) (\(parameters)): \(result.bar.figure) "
        + "\(row[result.bar.figure].map { Figure.plain($0.median) } ?? "—"), "
        + "bar \(Self.cells(result)[0])"
    }
    let count = "\(results.count - missed.count) of \(results.count) bars met"
    return ([count] + missed).joined(separator: "\n")
  }

  private static func cells(_ result: BarResult) -> [String] {
    let limit =
      switch result.bar.limit {
      case .atLeast(let least): "≥ \(Figure.plain(least))"
      case .atMost(let most): "≤ \(Figure.plain(most))"
      }
    return [limit, result.isMet ? "met" : "MISSED"]
  }

  private static func aligned(_ lines: [[String]]) -> String {
    let widths = lines[0].indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    return lines.map { line in
      var text = line.enumerated().map { column, cell in
        let padding = String(repeating: " ", count: widths[column] - cell.count)
        return (3...5).contains(column) ? padding + cell : cell + padding
      }.joined(separator: "  ")
      while text.last == " " { text.removeLast() }
      return text
    }.joined(separator: "\n")
  }

  package func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    return String(decoding: try encoder.encode(rows), as: UTF8.self)
  }

  private static func text(_ parameter: BenchRow.Parameter) -> String {
    switch parameter {
    case .count(let count): Figure.grouped(count)
    case .word(let word): word
    }
  }
}
