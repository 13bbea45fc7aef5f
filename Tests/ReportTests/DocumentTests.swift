import Core
import TestSupport
import Testing
@testable import Report

@Suite("A document", .quick)
struct DocumentTests {
  private static let table = Table(
    head: ["name", "value", "what it is"], rows: [["a", "1,000", "x, \"y\""], ["long", "2", ""]],
    words: [2])

  private static var document: Document {
    Document(
      title: "Title",
      blocks: [
        .question("Why?"), nil, .gap, .table(table), .terminal(.text("on a terminal")),
        .markdown(.text("in the file")), .page(.text("on the page")),
        .section(
          "part", "A part", "Because.", tables: [.facts("Folded", table)], notes: [nil, "N"]),
        .list(["one", "two"]),
      ])
  }

  @Test("has lines, with its tables in columns, and no markup of the other forms")
  func lines() {
    #expect(
      Self.document.lines == [
        "Why?", "", "name  value  what it is", "a     1,000  x, \"y\"", "long      2",
        "on a terminal", "A part", "Because.", "N", "  one", "  two",
      ])
  }

  @Test("is Markdown, a block a paragraph, and without folded parts")
  func markdown() {
    #expect(
      Self.document.markdown == """
        # Title

        Why?

        | name | value | what it is |
        |---|---:|---|
        | a | 1,000 | x, "y" |
        | long | 2 |  |

        in the file

        ## A part

        Because.

        N

        - one
        - two

        """)
  }

  @Test("is a page with a section for each part, and no text of other forms")
  func page() {
    let html = Self.document.html(.none)
    #expect(html.contains("<h1>Title</h1>") && html.contains("<p class=\"question\">Why?</p>"))
    #expect(html.contains("<section id=\"part\">\n<h2>A part</h2>\n<p>Because.</p>"))
    #expect(html.contains("<summary>Folded</summary>") && html.contains("<li>two</li>"))
    #expect(html.contains("on the page"))
    #expect(!html.contains("on a terminal") && !html.contains("in the file"))
  }

  @Test("a table is CSV, with quotes when needed")
  func csv() {
    #expect(
      Self.table.csv
        == "name,value,what it is\na,\"1,000\",\"x, \"\"y\"\"\"\nlong,2,\n")
  }

  @Test("untrusted text is no markup and no control character in any form")
  func foreign() {
    let text =
      "\u{1B}]0;x\u{7}\u{9B}2J<script>alert(1)</script>![p](http://x)[l](http://x)|\n# h\u{202E}"
    let table = Table(head: [text, text], rows: [[text, text]])
    let document = Document(
      title: text,
      blocks: [
        .text(text), .question(text), .note(text), .code(text), .list([text]), .table(table),
        .fold(.facts(text, table)), .section("s", text, text, open: table, notes: [text]),
      ])
    let (page, markdown) = (document.html(.none), document.markdown)
    for form in [page, markdown] {
      #expect(!form.contains("<script>alert"))
      #expect(!form.unicodeScalars.contains { ForeignText.isControl($0) && $0 != "\n" })
    }
    let lines = markdown.split(separator: "\n").filter { $0.contains("](http") || $0 == "# h" }
    #expect(lines.isEmpty, "\(markdown)")
    // Terminal output goes through the console, which escapes.
    let shown = ForeignText.inTerminal(document.lines.joined(separator: "\n"))
    #expect(!shown.unicodeScalars.contains { ForeignText.isControl($0) && $0 != "\n" })
  }
}
