/// The declarations of a formatted Swift file, found by lines: `swift format` puts the closing
/// brace of a declaration on a separate line with the same indentation.
struct Declarations {
  /// A top-level type or extension.
  struct TopLevel: Equatable {
    var name: String
    var isExtension: Bool
    var lines: Int
  }

  private let lines: [Substring]

  init(_ lines: [Substring]) { self.lines = lines }

  private static let modifiers: Set<Substring> = [
    "package", "public", "internal", "private", "fileprivate", "final", "static", "class",
    "mutating", "nonmutating", "borrowing", "consuming", "override", "convenience", "required",
    "nonisolated", "indirect", "private(set)", "package(set)", "fileprivate(set)", "isolated",
  ]

  private static func indent(_ line: Substring) -> Int { line.prefix { $0 == " " }.count }

  private static func name(_ word: Substring) -> String {
    String(word.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." })
  }

  /// Returns the closing line of the declaration at `start`; nil for none.
  private func end(of start: Int, indent: Int) -> Int? {
    if lines[start].hasSuffix("}") { return start }
    let brace = String(repeating: " ", count: indent) + "}"
    return lines[start...].dropFirst().firstIndex { $0 == brace }
  }

  var topLevel: [TopLevel] {
    let kinds: Set<Substring> = ["struct", "class", "enum", "actor", "protocol", "extension"]
    var found: [TopLevel] = []
    var next = 0
    while next < lines.count {
      let line = next
      next += 1
      guard Self.indent(lines[line]) == 0 else { continue }
      // "class" is a modifier before a member and a kind at the top level.
      let words = lines[line].split(separator: " ")
      guard let kind = words.firstIndex(where: kinds.contains), words.count > kind + 1,
        words[..<kind].allSatisfy({ $0.hasPrefix("@") || Self.modifiers.contains($0) }),
        let end = end(of: line, indent: 0)
      else { continue }
      let whole = Self.name(words[kind + 1])
      found.append(
        TopLevel(
          name: whole.split(separator: ".").first.map(String.init) ?? whole,
          isExtension: words[kind] == "extension", lines: end - line + 1))
      next = end + 1
    }
    return found
  }
}
