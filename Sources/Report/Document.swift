internal import Core
package import Figures

package struct Document {
  let title: String
  var head: PageHead?
  /// Whether sentences on a terminal are wrapped at 100 columns.
  var isWrapped = true
  /// The blocks of the document; nil blocks are skipped.
  let blocks: [Block?]

  package func html(_ libraries: PageLibraries) -> String {
    let page = Page(libraries: libraries)
    return document(
      title: title, page,
      "\(head?.html(title) ?? "<h1>\(title)</h1>\n")\(blocks.compactMap { $0?.html(page) })")
  }

  package var markdown: String {
    let parts = ["# \(ForeignText.inLine(title))"] + blocks.flatMap { $0?.markdown ?? [] }
    return ForeignText.inMarkdown(parts.joined(separator: "\n\n") + "\n")
  }

  package var lines: [String] { blocks.flatMap { $0?.lines(isWrapped: isWrapped) ?? [] } }
}

package protocol Reported: StoredRecord, Sendable {
  var report: Document { get }
  var csv: String? { get }
}

enum Block {
  case text(String)
  case question(String)
  case note(String)
  case list([String])
  case code(String)
  case table(Table)
  /// A block that only the page has, not the terminal or Markdown.
  case fold(Fold), html(HTML)
  case chart(Chart)
  /// Charts that share an axis, a cursor and a zoom.
  case panels([Chart])
  case gap
  indirect case section(String, String, [Block?])
  indirect case only(Set<Form>, [Block?])

  enum Form { case terminal, markdown, page }

  /// Returns a section: sentence, chart, main table, folded tables and notes.
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
  static func markdown(_ blocks: [Block?]) -> Block { .only([.markdown], blocks) }
  static func page(_ blocks: Block?...) -> Block { .only([.page], blocks) }
  static func page(_ blocks: [Block?]) -> Block { .only([.page], blocks) }
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
    case .chart(let chart): page.figure(chart)
    case .panels(let charts): page.panels(charts)
    case .html(let html): html
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

  /// The block as paragraphs of Markdown, to be separated by empty lines, each text on one line.
  var markdown: [String] {
    switch self {
    case .text(let text), .question(let text), .note(let text): [ForeignText.inLine(text)]
    case .list(let items):
      [items.map { "- \(ForeignText.inLine($0))" }.joined(separator: "\n")]
    case .code(let text): ["    \(ForeignText.inLine(text))"]
    case .table(let table): [table.markdown]
    case .fold, .chart, .panels, .html, .gap: []
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
    case .fold, .chart, .panels, .html: []
    case .gap: [""]
    case .section(_, let title, let blocks):
      [title] + blocks.flatMap { $0?.lines(isWrapped: isWrapped) ?? [] }
    case .only(let forms, let blocks):
      forms.contains(.terminal)
        ? blocks.flatMap { $0?.lines(isWrapped: isWrapped) ?? [] } : []
    }
  }
}

/// Returns the text wrapped at spaces to 100 columns; a longer word stays whole.
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
