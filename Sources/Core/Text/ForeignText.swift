/// Sanitizes foreign text (a server's answer, a collector's status, a name in a file) for display.
package enum ForeignText {
  /// Escapes control and bidirectional characters for a terminal, such as `\u{1b}`. Line breaks and
  /// tabs are kept.
  package static func inTerminal(_ text: String) -> String {
    guard text.utf8.contains(where: mayBeControl) else { return text }
    var shown = ""
    shown.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      if scalar == "\n" || scalar == "\t" || !isControl(scalar) {
        shown.unicodeScalars.append(scalar)
      } else {
        shown += "\\u{\(String(scalar.value, radix: 16))}"
      }
    }
    return shown
  }

  /// Returns a single line for a terminal, with blanks instead of line breaks and tabs.
  package static func inLine(_ text: String) -> String {
    inTerminal(
      String(String.UnicodeScalarView(text.unicodeScalars.map { isBreak($0) ? " " : $0 })))
  }

  /// Escapes text for HTML elements and quoted attributes.
  package static func inHTML(_ text: String) -> String {
    var escaped = ""
    escaped.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      // HTML cannot contain other control characters, nor XML the characters U+FFFE and U+FFFF.
      case "\n", "\t": escaped.unicodeScalars.append(scalar)
      case "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
      case let scalar where isControl(scalar): escaped += "\u{FFFD}"
      case let scalar: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// Sanitizes Markdown, also for terminals: HTML tags, links and pictures become text; headings,
  /// lists, tables and emphasis stay.
  package static func inMarkdown(_ text: String) -> String {
    let scalars = Array(inTerminal(text).unicodeScalars)
    var escaped = String.UnicodeScalarView()
    escaped.reserveCapacity(scalars.count)
    var isAtStart = true
    for (place, scalar) in scalars.enumerated() {
      let next = place + 1 < scalars.count ? scalars[place + 1] : "\n"
      switch (scalar, next) {
      // A tag begins with a letter or one of `/!?`, an entity with a letter or `#`.
      case ("<", let next)
      where next.properties.isAlphabetic || "/!?".unicodeScalars.contains(next):
        escaped += "&lt;".unicodeScalars
      case ("&", let next) where next.properties.isAlphabetic || next == "#":
        escaped += "&amp;".unicodeScalars
      case ("!", "["): escaped += "&#33;".unicodeScalars
      // `](` and `][` make links, and `[name]:` at a line's start defines a link's target.
      case ("]", "("), ("]", "["): escaped += "&#93;".unicodeScalars
      case ("[", _) where isAtStart: escaped += "&#91;".unicodeScalars
      case (let scalar, _): escaped.append(scalar)
      }
      isAtStart = scalar == "\n" || isAtStart && " >-#*".unicodeScalars.contains(scalar)
    }
    return String(escaped)
  }

  package static func inMarkdown(row: [String]) -> String {
    let cells = row.map { inLine($0).split(separator: "|", omittingEmptySubsequences: false) }
    return "| " + cells.map { $0.joined(separator: "\\|") }.joined(separator: " | ") + " |"
  }

  /// Whether a scalar is invisible and controls a terminal or text direction: C0, C1, DEL, and
  /// Unicode's line-end and direction marks.
  package static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x61C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    case _: false
    }
  }

  private static func isBreak(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\n" || scalar == "\t" || scalar == "\r"
  }

  private static func mayBeControl(_ byte: UInt8) -> Bool {
    byte < 0x20 && byte != 0x0A && byte != 0x09 || byte == 0x7F || byte == 0xC2 || byte == 0xD8
      || byte == 0xE2
  }
}
