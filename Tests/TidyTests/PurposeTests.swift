internal import TestSupport
internal import Testing

/// No two draws share a stream of random numbers.
@Suite("Purposes of draws", .quick)
struct PurposeTests {
  static let home = "Sources/Core/Random/Purpose.swift"

  /// The numbers of purposes in a text, in order.
  static func numbers(in text: String) -> [Int] {
    text.matches(of: #/(?:Self|Purpose)\(rawValue: ([0-9_]+)\)/#)
      .compactMap { Int($0.1.filter { $0 != "_" }) }
  }

  @Test("every purpose has a unique number")
  func unique() throws {
    let numbers = Self.numbers(in: try SourceTree.text(Self.home))
    #expect(numbers.count > 70)
    let twice = Dictionary(grouping: numbers) { $0 }.filter { $0.value.count > 1 }.keys.sorted()
    #expect(twice.isEmpty, "two purposes have the number \(twice)")
  }

  @Test("purposes are declared in one file")
  func onePlace() {
    for file in SourceTree.swiftFiles where !file.isTest && file.path != Self.home {
      for (index, line) in file.lines.enumerated()
      where line.contains("Purpose(rawValue:") || line.contains("extension Purpose ") {
        Issue.record("\(file):\(index + 1): declare the purpose in \(Self.home)")
      }
    }
  }

  @Test("the numbers of a text are found")
  func found() {
    let text = "static var a: Self { Self(rawValue: 1_002) }; let b = Purpose(rawValue: 7)"
    #expect(Self.numbers(in: text) == [1_002, 7])
  }
}
