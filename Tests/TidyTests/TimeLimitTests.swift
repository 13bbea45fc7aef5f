import TestSupport
import Testing

/// A hanging test would block CI, and slow tests are rarely run.
@Suite("Time limits of tests", .quick)
struct TimeLimitTests {
  /// The `@Suite…` attributes of a file, with their parentheses.
  static func suites(_ text: String) -> [(line: Int, attribute: Substring)] {
    text.ranges(of: "@Suite").compactMap { range in
      guard text[..<range.lowerBound].last.map({ $0 == "\n" || $0 == " " }) ?? true else {
        return nil
      }
      let line = text[..<range.lowerBound].count { $0 == "\n" } + 1
      var depth = 0
      var isQuoted = false
      let rest = text[range.upperBound...]
      guard rest.first?.isLetter != true else { return nil }
      guard rest.first == "(" else { return (line, text[range]) }
      for index in rest.indices {
        switch rest[index] {
        case "\"": isQuoted.toggle()
        case "(" where !isQuoted: depth += 1
        case ")" where !isQuoted:
          depth -= 1
          if depth == 0 { return (line, text[range.lowerBound...index]) }
        case _: break
        }
      }
      return nil
    }
  }

  /// The traits of the suites in a folder of `Tests`.
  static func traits(_ folder: String) -> [String] {
    switch folder {
    case "FlowTests": [".timeLimit(.minutes(2))"]
    case "LiveTests": [".live", ".timeLimit(.minutes(10))"]
    case _: [".quick"]
    }
  }

  @Test("unit tests are quick, flows take two minutes, live tests ten on threads of their own")
  func limits() {
    let own = "Tests/TidyTests/TimeLimitTests.swift"
    for file in SourceTree.swiftFiles where file.isTest && file.path != own {
      let text = file.lines.joined(separator: "\n")
      let suites = Self.suites(text)
      for suite in suites {
        for trait in Self.traits(file.room) where !suite.attribute.contains(trait) {
          Issue.record("\(file):\(suite.line): a suite without \(trait)")
        }
      }
      let hasTests = file.lines.contains {
        $0.drop { $0 == " " }.hasPrefix("@Test")
      }
      let extendsASuite = Declarations(file.lines).topLevel.contains { $0.isExtension }
      if hasTests, suites.isEmpty, !extendsASuite {
        Issue.record("\(file): tests outside a suite have no time limit")
      }
    }
  }

  @Test("an attribute ends at its closing parenthesis")
  func attributes() {
    let text = """
      @Suite("a (b", .timeLimit(.minutes(2)))
      struct A {}
      // like @SuiteName or x@Suite
        @Suite("b", .serialized)
      struct B {}
      @Suite struct C {}
      """
    let found = Self.suites(text)
    #expect(found.map(\.line) == [1, 4, 6])
    #expect(found[0].attribute == "@Suite(\"a (b\", .timeLimit(.minutes(2)))")
    #expect(found[1].attribute == "@Suite(\"b\", .serialized)")
    #expect(found[2].attribute == "@Suite")
  }
}
