/// What a formatted Swift file declares, told by its lines: `swift format` puts a declaration's
/// closing brace into a line of its own, as far in as the declaration begins.
struct Declarations {
  /// A type, or an extension of one, that begins at the margin.
  struct TopLevel: Equatable {
    var name: String
    var isExtension: Bool
    var lines: Int
  }

  /// A function, initialiser or computed property with a body of more than one line.
  struct Body: Equatable {
    var head: String
    /// Counted from 1.
    var line: Int
    /// From the head to the closing brace.
    var lines: Int
  }

  private let lines: [Substring]

  init(_ lines: [Substring]) { self.lines = lines }

  private static let modifiers: Set<Substring> = [
    "package", "public", "internal", "private", "fileprivate", "final", "static", "class",
    "mutating", "nonmutating", "borrowing", "consuming", "override", "convenience", "required",
    "nonisolated", "indirect", "private(set)", "package(set)", "fileprivate(set)", "isolated",
  ]

  /// The words of a line behind its attributes and modifiers.
  private static func words(_ line: Substring) -> ArraySlice<Substring> {
    line.split(separator: " ").drop { $0.hasPrefix("@") || modifiers.contains($0) }
  }

  private static func indent(_ line: Substring) -> Int { line.prefix { $0 == " " }.count }

  private static func name(_ word: Substring) -> String {
    String(word.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." })
  }

  /// The line that closes what begins at `start`; nil: none does.
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
      // "class" is a modifier in front of a member and a kind at the margin.
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

  var bodies: [Body] {
    lines.indices.compactMap { line in
      let words = Self.words(lines[line])
      guard let first = words.first else { return nil }
      let isFunction =
        first == "func" || first == "deinit" || first.hasPrefix("init(") || first.hasPrefix("init<")
        || first.hasPrefix("init?") || first.hasPrefix("subscript")
      let isProperty = first == "var" && lines[line].hasSuffix("{")
      guard isFunction || isProperty, let opening = opening(line) else { return nil }
      let indent = Self.indent(lines[line])
      guard let end = end(of: opening, indent: indent), end > line else { return nil }
      return Body(head: words.joined(separator: " "), line: line + 1, lines: end - line + 1)
    }
  }

  /// The line that ends in the opening brace of a body; nil: it has none, or is one line long.
  private func opening(_ start: Int) -> Int? {
    let indent = Self.indent(lines[start])
    for line in start..<lines.count {
      let text = lines[line]
      if line > start {
        // A list of parameters is further in; what closes it, or goes on, is not.
        let goesOn = [")", "where ", "throws", "->", "async"].contains {
          text.dropFirst(indent).hasPrefix($0)
        }
        if Self.indent(text) < indent || (Self.indent(text) == indent && !goesOn) { return nil }
        if Self.indent(text) > indent { continue }
      }
      if text.hasSuffix("{") { return line }
      // `func f() { 1 }`, and a closure as a default.
      if line == start, text.contains("{") { return nil }
    }
    return nil
  }
}
