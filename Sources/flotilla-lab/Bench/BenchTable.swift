internal import Core
internal import Foundation

package struct BenchTable: Sendable {
  package let rows: [BenchRow]

  package init(_ rows: [BenchRow]) { self.rows = rows }

  package var text: String {
    let hasBars = rows.contains { !$0.bars.isEmpty }
    let head = ["bench", "parameters", "figure", "median", "min", "max"]
    let lines = rows.flatMap { Self.lines($0, hasBars: hasBars) }
    return Self.aligned([head + (hasBars ? ["bar", "result"] : [])] + lines, right: 3...5)
  }

  private static func lines(_ row: BenchRow, hasBars: Bool) -> [[String]] {
    // Adds a line for each bar whose figure could not be measured.
    let missing = row.bars.map(\.figure).filter { row[$0] == nil }
    var right = row.figures.map { name, figure in
      [name] + [figure.median, figure.min, figure.max].map(number) + bar(name, row, hasBars)
    }
    right += missing.map { [$0, "—", "—", "—"] + bar($0, row, hasBars) }
    let left = parameters(row)
    return (0..<max(left.count, right.count)).map { place in
      [place == 0 ? row.bench : "", place < left.count ? left[place] : ""]
        + (place < right.count ? right[place] : [String](repeating: "", count: hasBars ? 6 : 4))
    }
  }

  private static func bar(_ figure: String, _ row: BenchRow, _ hasBars: Bool) -> [String] {
    guard hasBars else { return [] }
    return row.results.first { $0.bar.figure == figure }.map(cells) ?? ["", ""]
  }

  private static let parameterColumns = 44

  private static func parameters(_ row: BenchRow) -> [String] {
    var lines = [""]
    for (name, value) in row.parameters {
      let word = "\(name) \(text(value))"
      if lines[lines.count - 1].isEmpty {
        lines[lines.count - 1] = word
      } else if lines[lines.count - 1].count + word.count + 3 <= parameterColumns {
        lines[lines.count - 1] += ", \(word)"
      } else {
        lines[lines.count - 1] += ","
        lines.append(word)
      }
    }
    return lines
  }

  private static func number(_ value: Double) -> String {
    abs(value) >= 10_000 ? Figure.grouped(Int(value.rounded())) : Figure.plain(value)
  }

  /// A line such as "3 of 4 bars met", with the missed bars; nil if no row has a bar.
  package var summary: String? {
    let results = rows.flatMap { row in row.results.map { (row, $0) } }
    guard !results.isEmpty else { return nil }
    let missed = results.filter { !$0.1.isMet }.map { row, result in
      let parameters = row.parameters.filter { $0.name != "rounds" }
        .map { "\($0.name) \(Self.text($0.value))" }.joined(separator: ", ")
      return "  MISSED  \(row.bench) (\(parameters)): \(result.bar.figure) "
        + "\(row[result.bar.figure].map { Self.number(result.bar.judged($0)) } ?? "—"), "
        + "bar \(Self.cells(result)[0])"
    }
    let count = "\(results.count - missed.count) of \(results.count) bars met"
    return ([count] + missed).joined(separator: "\n")
  }

  private static func cells(_ result: BarResult) -> [String] {
    let limit =
      switch result.bar.limit {
      case .atLeast(let least): "≥ \(number(least))"
      case .atMost(let most): "≤ \(number(most))"
      }
    return [limit, result.isMet ? "met" : "MISSED"]
  }

  /// - Parameter right: the columns whose cells are aligned at their ends.
  static func aligned(_ lines: [[String]], right: ClosedRange<Int>) -> String {
    let widths = lines[0].indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    return lines.map { line in
      var text = line.enumerated().map { column, cell in
        let padding = String(repeating: " ", count: widths[column] - cell.count)
        return right.contains(column) ? padding + cell : cell + padding
      }.joined(separator: "  ")
      while text.last == " " { text.removeLast() }
      return text
    }.joined(separator: "\n")
  }

  /// Returns a JSON list with sorted keys; throws if a figure is not finite.
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
