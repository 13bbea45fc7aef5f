internal import Foundation

/// A Markdown page for a terminal or a pipe: wraps paragraphs, items and table rows, indents code,
/// and turns links to other pages into commands.
struct PageText {
  let text: String

  init(_ markdown: String, width: Int) {
    var lines: [String] = []
    var isCode = false
    // Lines of a paragraph or an item that are not printed yet.
    var pending = ""
    func flush() {
      lines += Self.wrapped(pending, width)
      pending = ""
    }
    for line in markdown.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        flush()
        isCode.toggle()
      } else if isCode {
        lines.append(line.isEmpty ? "" : "    \(line)")
      } else if pending.isEmpty, line.hasPrefix("    ") {
        lines.append(String(line))
      } else if line.isEmpty || line.hasPrefix("#") || line.hasPrefix("<!--") {
        flush()
        if line.hasPrefix("#") || lines.last != "" {
          lines.append(line.hasPrefix("<!--") ? "" : "\(line)")
        }
      } else if line.wholeMatch(of: #/\|[-:| ]+\|/#) == nil {
        if line.prefixMatch(of: #/- |\d+\. |\|/#) != nil { flush() }
        pending += pending.isEmpty ? "\(line)" : " \(line)"
      }
    }
    flush()
    if lines.last == "" { lines.removeLast() }
    text = lines.joined(separator: "\n")
  }

  /// Returns lines of at most `width`, unless a word is longer. Aligns the lines of an item or row.
  private static func wrapped(_ text: String, _ width: Int) -> [String] {
    let margin = text.prefixMatch(of: #/- |\d+\. |\|/#) == nil ? "" : "  "
    let linked = text.replacing(#/<doc:([A-Za-z]+)(#[^>]*)?>/#) {
      "`flotilla manual \(DocumentationPages.name($0.1))`"
    }
    var lines: [String] = []
    for word in linked.split(separator: " ") {
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] += " \(word)"
      } else {
        lines.append(lines.isEmpty ? "\(word)" : margin + word)
      }
    }
    return lines
  }
}
