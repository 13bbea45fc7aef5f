internal import Dashboard
internal import Foundation

/// How a page is laid out.
struct PageLayout {
  /// In characters.
  let width: Int
  /// Whether headings and words of the program stand out.
  let isStyled: Bool

  /// As wide as the terminal, within reason; a pipe gets plain text.
  static var standardOutput: PageLayout {
    let environment = ProcessInfo.processInfo.environment
    guard isatty(STDOUT_FILENO) == 1 else { return PageLayout(width: 80, isStyled: false) }
    return PageLayout(
      width: TerminalFacts.size.map { min(100, max(40, $0.columns)) } ?? 80,
      isStyled: environment["NO_COLOR"] == nil && environment["TERM"] != "dumb")
  }
}

/// A page of the documentation as text: the Markdown of DocC, laid out for a terminal.
struct PageText {
  let text: String

  init(_ markdown: String, layout: PageLayout) {
    var writer = PageWriter(layout: layout)
    writer.write(markdown.split(separator: "\n", omittingEmptySubsequences: false)[...])
    text = writer.blocks.joined(separator: "\n\n")
  }
}

/// Reads Markdown block by block.
private struct PageWriter {
  let layout: PageLayout
  var blocks: [String] = []

  mutating func write(_ lines: ArraySlice<Substring>) {
    var rest = lines
    while let line = rest.first {
      if line.isEmpty || line.hasPrefix("<!--") {
        rest.removeFirst()
      } else if line.hasPrefix("```") {
        rest.removeFirst()
        code(take(&rest) { !$0.hasPrefix("```") })
        _ = rest.popFirst()
      } else if line.hasPrefix("#") {
        heading(line)
        rest.removeFirst()
      } else if line.hasPrefix("|") {
        table(take(&rest) { $0.hasPrefix("|") })
      } else if Self.isItem(line) {
        list(take(&rest) { !$0.isEmpty && ($0.hasPrefix(" ") || Self.isItem($0)) })
      } else {
        let words = take(&rest) { !$0.isEmpty && !Self.beginsBlock($0) }.joined(separator: " ")
        blocks.append(PageWords(words).wrapped(layout).joined(separator: "\n"))
      }
    }
  }

  private static func isItem(_ line: Substring) -> Bool {
    line.hasPrefix("- ") || line.prefixMatch(of: #/\d+\. /#) != nil
  }

  private static func beginsBlock(_ line: Substring) -> Bool {
    line.hasPrefix("```") || line.hasPrefix("#") || line.hasPrefix("|") || line.hasPrefix("<!--")
      || isItem(line)
  }

  private func take(
    _ rest: inout ArraySlice<Substring>, while belongs: (Substring) -> Bool
  ) -> [Substring] {
    let taken = rest.prefix(while: belongs)
    rest.removeFirst(taken.count)
    return Array(taken)
  }

  private mutating func heading(_ line: Substring) {
    let title = line.drop { $0 == "#" }.drop { $0 == " " }
    // DocC asks for this one; it says nothing.
    if title == "Overview" { return }
    let words = PageWords(String(title)).plain
    blocks.append(layout.isStyled ? "\u{1B}[1m\(words)\u{1B}[0m" : words)
  }

  private mutating func code(_ lines: [Substring]) {
    blocks.append(lines.map { $0.isEmpty ? "" : "    \($0)" }.joined(separator: "\n"))
  }

  private mutating func list(_ lines: [Substring]) {
    var items: [String] = []
    for line in lines {
      if Self.isItem(line) { items.append(String(line)) } else { items[items.count - 1] += line }
    }
    let margin = "  "
    let printed = items.map { item in
      PageWords(item).wrapped(layout, margin: margin).enumerated().map { number, line in
        (number == 0 ? "" : margin) + line
      }.joined(separator: "\n")
    }
    blocks.append(printed.joined(separator: "\n"))
  }

  private mutating func table(_ lines: [Substring]) {
    let rows = lines.filter { $0.wholeMatch(of: #/\|[-:| ]+\|/#) == nil }.map(Self.cells)
    blocks.append(PageTable(rows).lines(layout).joined(separator: "\n"))
  }

  /// A pipe that belongs to a cell has a backslash.
  private static func cells(_ line: Substring) -> [PageWords] {
    let inner = line.dropFirst().dropLast()
    return inner.replacing("\\|", with: "\u{1}").split(
      separator: "|", omittingEmptySubsequences: false
    ).map { PageWords($0.replacing("\u{1}", with: "|").trimmingCharacters(in: .whitespaces)) }
  }
}

/// Rows of cells side by side, each cell wrapped within its column.
private struct PageTable {
  private let rows: [[PageWords]]

  init(_ rows: [[PageWords]]) { self.rows = rows }

  func lines(_ layout: PageLayout) -> [String] {
    let widths = widths(layout.width)
    return rows.enumerated().flatMap { number, row in
      let isWrapped = row.indices.contains { row[$0].plain.count > widths[$0] }
      let columns = row.indices.map {
        row[$0].wrapped(PageLayout(width: widths[$0], isStyled: layout.isStyled))
      }
      let height = columns.map(\.count).max() ?? 0
      var lines = (0..<height).map { line in
        row.indices.map { column in
          let text = columns[column].indices.contains(line) ? columns[column][line] : ""
          if column == row.count - 1 { return text }
          let shown = PageWords.length(of: text)
          return text + String(repeating: " ", count: max(0, widths[column] - shown))
        }.joined(separator: "  ")
      }.map { line in line.replacing(#/ +$/#, with: "") }
      if number == 0 {
        lines.append(widths.map { String(repeating: "-", count: $0) }.joined(separator: "  "))
      } else if isWrapped, number < rows.count - 1 {
        // Rows of several lines would run into each other.
        lines.append("")
      }
      return lines
    }
  }

  /// What every column needs, cut from the widest until the row fits; a word is never broken.
  private func widths(_ width: Int) -> [Int] {
    let columns = (rows.map(\.count).max() ?? 1)
    func column(_ index: Int) -> [PageWords] {
      rows.compactMap { $0.indices.contains(index) ? $0[index] : nil }
    }
    let least = (0..<columns).map { column($0).map(\.longestWord).max() ?? 0 }
    var widths = (0..<columns).map { column($0).map(\.plain.count).max() ?? 0 }
    let room = width - 2 * (columns - 1)
    while widths.reduce(0, +) > room,
      let widest = widths.indices.filter({ widths[$0] > least[$0] }).max(by: {
        widths[$0] < widths[$1]
      })
    {
      widths[widest] -= 1
    }
    return widths
  }
}

/// A paragraph, a list's item or a table's cell: words with their emphasis.
private struct PageWords {
  /// Without emphasis, in which words of the program stand between `\u{2}` and `\u{3}`.
  private let marked: String

  init(_ markdown: String) {
    marked =
      markdown
      .replacing(#/!\[([^\]]*)\]\(([^)]*)\)/#) { "Picture: \($0.1)" }
      .replacing(#/\[([^\]]*)\]\(([^)]*)\)/#) { "\($0.1) (\($0.2))" }
      .replacing(#/<doc:([A-Za-z]+)(#[^>]*)?>/#) {
        "\u{2}flotilla manual \(DocumentationPages.name($0.1))\u{3}"
      }
      .replacing(#/``?([^`]+)``?/#) { "\u{2}\($0.1)\u{3}" }
      .replacing("**", with: "")
  }

  var plain: String { marked.filter { $0 != "\u{2}" && $0 != "\u{3}" } }

  var longestWord: Int { plain.split(separator: " ").map(\.count).max() ?? 0 }

  /// Lines of at most `layout.width` characters, unless a word is longer.
  ///
  /// - Parameter margin: stands before every line but the first, and is not part of what returns.
  func wrapped(_ layout: PageLayout, margin: String = "") -> [String] {
    var lines: [String] = []
    var line = ""
    for word in marked.split(separator: " ") {
      let width = Self.length(of: line) + 1 + Self.length(of: word)
      let room = layout.width - (lines.isEmpty ? 0 : margin.count)
      if line.isEmpty {
        line = String(word)
      } else if width <= room {
        line += " \(word)"
      } else {
        lines.append(line)
        line = String(word)
      }
    }
    lines.append(line)
    return styled(lines, layout)
  }

  /// Emphasis ends with its line and begins anew with the next.
  private func styled(_ lines: [String], _ layout: PageLayout) -> [String] {
    var isOpen = false
    return lines.map { line in
      var text = isOpen && layout.isStyled ? "\u{1B}[1m" : ""
      for letter in line {
        switch letter {
        case "\u{2}", "\u{3}":
          isOpen = letter == "\u{2}"
          if layout.isStyled { text += isOpen ? "\u{1B}[1m" : "\u{1B}[0m" }
        case let letter: text.append(letter)
        }
      }
      return text + (isOpen && layout.isStyled ? "\u{1B}[0m" : "")
    }
  }

  /// Characters that show.
  static func length(of text: some StringProtocol) -> Int {
    var count = 0
    var isEscape = false
    for letter in text {
      switch letter {
      case "\u{1B}": isEscape = true
      case "m" where isEscape: isEscape = false
      case "\u{2}", "\u{3}": break
      case _ where !isEscape: count += 1
      case _: break
      }
    }
    return count
  }
}
