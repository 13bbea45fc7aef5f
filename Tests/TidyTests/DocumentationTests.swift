import Testing

/// What other rooms use is documented where it is declared.
@Suite("Documentation", .timeLimit(.minutes(10)))
struct DocumentationTests {
  private static let kinds: Set<Substring> = [
    "var", "let", "func", "init", "struct", "class", "enum", "protocol", "typealias", "subscript",
  ]

  /// Whether the line declares something that another room can use.
  static func isShared(_ line: Substring) -> Bool {
    var access = false
    for word in line.split(separator: " ") {
      if word.hasPrefix("//") { return false }
      if word.hasPrefix("@") { continue }
      let name = word.prefix { $0.isLetter }
      if name == "import" { return false }
      if name == "package" || name == "public" {
        access = true
      } else if kinds.contains(name) {
        // A type's method, such as `class func`, is found by its last word as well.
        return access
      } else if name.count != word.count && !word.contains("(set)") && !word.contains("unsafe") {
        return false
      }
    }
    return false
  }

  /// Whether a documentation comment stands above the line, attributes of their own between.
  static func isDocumented(_ index: Int, of lines: [Substring]) -> Bool {
    var above = index - 1
    func word(_ n: Int) -> Substring { lines[n].drop { $0 == " " } }
    func isAttributes(_ n: Int) -> Bool {
      !word(n).isEmpty && word(n).split(separator: " ").allSatisfy { $0.hasPrefix("@") }
    }
    while above >= 0, isAttributes(above) { above -= 1 }
    return above >= 0 && word(above).hasPrefix("///")
  }

  @Test("a declaration is told from other lines, and its comment is found")
  func notation() {
    #expect(Self.isShared("  package private(set) var count = 0"))
    #expect(Self.isShared("  @inlinable public static func hours(_ n: Int64) -> Self {"))
    #expect(Self.isShared("  package init(a: Int) {"))
    #expect(!Self.isShared("package import Figures"))
    #expect(!Self.isShared("  let package = Package(name: name)"))
    #expect(!Self.isShared("  // package var is shared"))
    #expect(Self.isDocumented(2, of: ["/// Says so.", "@Nullable", "package var a: Int?"]))
    #expect(Self.isDocumented(2, of: ["/// So.", "@inlinable @inline(never)", "package init()"]))
    #expect(!Self.isDocumented(1, of: ["", "package var a: Int?"]))
  }

  /// The properties that a row of a scenario's schema reads: the row's sentence documents them.
  private static let rows = Set(
    SourceTree.swiftFiles.filter { !$0.isTest && $0.room == "Scenarios" }.flatMap { file in
      file.lines.joined(separator: "\n")
        .matches(of: #/Field\(\s*"\w+",\s*\\\.(?:\w+\.)*(\w+),/#).map { String($0.output.1) }
    })

  private static func hasRow(_ line: Substring) -> Bool {
    guard let name = line.firstMatch(of: #/^\s*package var (\w+)/#)?.output.1 else { return false }
    return rows.contains(String(name))
  }

  @Test("of what a room shares nineteen declarations of twenty are documented, or more")
  func coverage() {
    for (room, files) in Dictionary(
      grouping: SourceTree.swiftFiles.filter { !$0.isTest }, by: \.room)
    {
      var declared = 0
      var undocumented: [String] = []
      for file in files {
        for (index, line) in file.lines.enumerated()
        where Self.isShared(line) && !(room == "Scenarios" && Self.hasRow(line)) {
          declared += 1
          if !Self.isDocumented(index, of: file.lines) {
            undocumented.append("\(file):\(index + 1)")
          }
        }
      }
      #expect(
        undocumented.count * 20 <= declared, "\(room): \(undocumented.count) of \(declared)")
    }
  }
}
