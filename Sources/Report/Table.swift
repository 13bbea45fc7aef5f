internal import Core

/// A table of a report: the first column names the row; the others are numbers, except `words`.
struct Table {
  var head: [String]
  var rows: [[String]] = []
  /// The indices of the columns that contain text.
  var words: Set<Int> = []

  var html: HTML {
    let heads: [HTML] = head.indices.map {
      "<th scope=\"col\"\(mark($0))>\(head[$0])</th>"
    }
    let body: [HTML] = rows.map { row in
      let cells: [HTML] = row.indices.dropFirst().map { "<td\(mark($0))>\(row[$0])</td>" }
      return "<tr><th scope=\"row\">\(row.first ?? "")</th>\(cells)</tr>\n"
    }
    return """
      <div class="scroll"><table><thead><tr>\(heads)</tr></thead>
      <tbody>
      \(body)</tbody></table></div>
      """
  }

  private func mark(_ column: Int) -> HTML {
    words.contains(column) ? " class=\"words\"" : ""
  }

  /// The lines of the table, with words left and numbers right. An empty head is omitted.
  var lines: [String] {
    let all = (head.allSatisfy(\.isEmpty) ? [] : [head]) + rows
    let widths = head.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
    return all.map { row in
      row.enumerated().map { column, cell in
        let pad = String(repeating: " ", count: widths[column] - cell.count)
        return column == 0 || words.contains(column) ? cell + pad : pad + cell
      }.joined(separator: "  ").trimmed
    }
  }

  var markdown: String {
    let rule = "|" + head.indices.map { $0 == 0 || words.contains($0) ? "---|" : "---:|" }.joined()
    return ([ForeignText.inMarkdown(row: head), rule] + rows.map(ForeignText.inMarkdown(row:)))
      .joined(separator: "\n")
  }

  /// The table as CSV (RFC 4180), in which fields with a comma, a quote or a line end are quoted.
  var csv: String {
    ([head] + rows).map { row in
      row.map { field in
        field.contains { ",\"\n\r".contains($0) }
          ? "\"\(field.replacing("\"", with: "\"\""))\"" : field
      }.joined(separator: ",") + "\n"
    }.joined()
  }
}

extension Table {
  /// Creates a row for each fact; facts without a value are omitted.
  init(facts: KeyValuePairs<String, String?>) {
    self.init(
      head: ["", ""], rows: facts.compactMap { name, value in value.map { [name, $0] } },
      words: [1])
  }

  /// Creates a row for each thing and a column for each figure, with a dash for a nil figure.
  init<Thing>(
    _ things: some Sequence<Thing>, words: Set<Int> = [],
    _ columns: KeyValuePairs<String, (Thing) -> String?>
  ) {
    self.init(
      head: columns.map(\.key),
      rows: things.map { thing in columns.map { $0.value(thing) ?? "—" } }, words: words)
  }

  /// The table without columns that contain only zeros.
  var withoutEmptyColumns: Table {
    let kept = head.indices.filter { column in
      column == 0 || rows.contains { $0[column] != "0" && $0[column] != "—" }
    }
    return Table(head: kept.map { head[$0] }, rows: rows.map { row in kept.map { row[$0] } })
  }

  static func field(_ value: Double?) -> String { value.map { "\($0)" } ?? "" }

  static func fields(_ ratio: Ratio?) -> [String] {
    [ratio?.value, ratio?.low, ratio?.high].map(field)
  }
}

extension StringProtocol {
  var trimmed: String {
    var text = String(self)
    while text.last == " " { text.removeLast() }
    return text
  }
}
