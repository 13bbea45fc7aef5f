package import Figures

/// What a study says, once: as lines of a terminal, as Markdown, and as a page.
package struct Document {
  let title: String
  /// What the page begins with; nil: its title.
  var head: HTML?
  /// Whether sentences on a terminal are broken at 100 columns.
  var isWrapped = true
  /// nil: there is nothing to say.
  let blocks: [Block?]

  /// Returns the page.
  ///
  /// - Parameter plot: nil: the page has no pictures.
  package func html(_ plot: Plotter?) -> String {
    let page = Page(plot: plot)
    return document(
      title: title,
      "\(head ?? "<h1>\(title)</h1>\n")\(blocks.compactMap { $0?.html(page) })")
  }

  /// The document as a file, `summary.md`.
  package var markdown: String {
    let parts = ["# \(ForeignText.inLine(title))"] + blocks.flatMap { $0?.markdown ?? [] }
    return ForeignText.inMarkdown(parts.joined(separator: "\n\n") + "\n")
  }

  /// The document on standard output, for a terminal and a pipe alike.
  package var lines: [String] { blocks.flatMap { $0?.lines(isWrapped: isWrapped) ?? [] } }
}

/// A record that has a report.
package protocol Reported: StoredRecord, Sendable {
  /// What the record says, for terminal, file and page.
  var report: Document { get }
  /// The numbers as a CSV file; nil: there is none.
  var csv: String? { get }
}

/// A part of a document.
enum Block {
  case text(String)
  /// The sentence under the title.
  case question(String)
  case note(String)
  case list([String])
  /// A command or a file, as it is typed.
  case code(String)
  case table(Table)
  /// On the page alone.
  case fold(Fold), html(HTML)
  /// With what stands in its place where nothing draws pictures.
  case chart(Chart, else: HTML = "")
  /// Says on the page why there is no such thing as this, where nothing draws pictures.
  case without(String)
  /// An empty line on a terminal.
  case gap
  indirect case section(String, String, [Block?])
  indirect case only(Set<Form>, [Block?])

  enum Form { case terminal, markdown, page }

  /// A section with a sentence, a picture, a table that is read, those that are looked up, and
  /// notes beneath.
  static func section(
    _ id: String, _ title: String, _ sentence: String, chart: Chart? = nil, open: Table? = nil,
    tables: [Fold] = [], notes: [String?] = []
  ) -> Block {
    .section(
      id, title,
      [.text(sentence), chart.map { .chart($0) }, open.map(Block.table)] + tables.map(Block.fold)
        + notes.map { $0.map(Block.note) })
  }

  static func terminal(_ blocks: Block?...) -> Block { .only([.terminal], blocks) }
  static func markdown(_ blocks: Block?...) -> Block { .only([.markdown], blocks) }
  static func page(_ blocks: Block?...) -> Block { .only([.page], blocks) }
  static func page(_ blocks: [Block?]) -> Block { .only([.page], blocks) }
  /// In the file and on the page.
  static func paper(_ blocks: Block?...) -> Block { .only([.markdown, .page], blocks) }
  static func paper(_ blocks: [Block?]) -> Block { .only([.markdown, .page], blocks) }

  func html(_ page: Page) -> HTML {
    switch self {
    case .text(let text): "<p>\(text)</p>\n"
    case .question(let text): "<p class=\"question\">\(text)</p>\n"
    case .note(let text): "<p class=\"note\">\(text)</p>\n"
    case .list(let items): "<ul>\n\(items.map { "<li>\($0)</li>\n" as HTML })</ul>\n"
    case .code(let text): "<pre>\(text)</pre>\n"
    case .table(let table): "\(table.html)\n"
    case .fold(let fold): fold.html
    case .chart(let chart, let other): page.plot == nil ? other : page.figure(chart)
    case .html(let html): html
    case .without(let what):
      page.plot == nil
        ? "<p class=\"note\">No \(what): gnuplot was not found when this report was made.</p>\n"
        : ""
    case .gap: ""
    case .section(let id, let title, let blocks):
      """
      <section id="\(id)">
      <h2>\(title)</h2>
      \(blocks.compactMap { $0?.html(page) })</section>

      """
    case .only(let forms, let blocks):
      forms.contains(.page) ? blocks.compactMap { $0?.html(page) }.joined() : ""
    }
  }

  /// Parts with empty lines between them. A text is one line, so that it begins no other part.
  var markdown: [String] {
    switch self {
    case .text(let text), .question(let text), .note(let text): [ForeignText.inLine(text)]
    case .list(let items):
      [items.map { "- \(ForeignText.inLine($0))" }.joined(separator: "\n")]
    case .code(let text): ["    \(ForeignText.inLine(text))"]
    case .table(let table): [table.markdown]
    case .fold, .chart, .html, .without, .gap: []
    case .section(_, let title, let blocks):
      ["## \(ForeignText.inLine(title))"] + blocks.flatMap { $0?.markdown ?? [] }
    case .only(let forms, let blocks):
      forms.contains(.markdown) ? blocks.flatMap { $0?.markdown ?? [] } : []
    }
  }

  func lines(isWrapped: Bool) -> [String] {
    switch self {
    case .text(let text), .question(let text), .note(let text), .code(let text):
      isWrapped ? wrapped(text) : [text]
    case .list(let items): items.map { "  \($0)" }
    case .table(let table): table.lines
    case .fold, .chart, .html, .without: []
    case .gap: [""]
    case .section(_, let title, let blocks):
      [title] + blocks.flatMap { $0?.lines(isWrapped: isWrapped) ?? [] }
    case .only(let forms, let blocks):
      forms.contains(.terminal)
        ? blocks.flatMap { $0?.lines(isWrapped: isWrapped) ?? [] } : []
    }
  }
}

/// Broken at spaces, so that no line is longer than 100 columns unless a word is.
func wrapped(_ text: String) -> [String] {
  var lines: [String] = []
  for word in text.split(separator: " ") {
    if let line = lines.last, line.count + 1 + word.count <= 100 {
      lines[lines.count - 1] = "\(line) \(word)"
    } else {
      lines.append(String(word))
    }
  }
  return lines
}
