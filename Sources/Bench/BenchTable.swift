internal import Foundation
internal import Measure

/// The rows of a bench as text or JSON.
package struct BenchTable: Sendable {
  package let rows: [BenchRow]

  package init(_ rows: [BenchRow]) { self.rows = rows }

  /// A line a figure: median, least and most.
  package var text: String {
    var lines = [["bench", "parameters", "figure", "median", "min", "max"]]
    for row in rows {
      let parameters = row.parameters.map { "\($0.name) \(Self.text($0.value))" }
        .joined(separator: ", ")
      for (place, (name, figure)) in row.figures.enumerated() {
        let left = place == 0 ? [row.bench, parameters] : ["", ""]
        let figures = [figure.median, figure.min, figure.max].map(Figure.plain)
        lines.append(left + [name] + figures)
      }
    }
    let widths = lines[0].indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    return lines.map { line in
      line.enumerated().map { column, cell in
        let padding = String(repeating: " ", count: widths[column] - cell.count)
        return column < 3 ? cell + padding : padding + cell
      }.joined(separator: "  ")
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
