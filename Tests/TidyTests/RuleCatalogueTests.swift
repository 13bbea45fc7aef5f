import Foundation
import Testing

/// The behaviour catalogue: each rule is named where it is implemented and where it is tested.
@Suite("Behaviour catalogue", .timeLimit(.minutes(10)))
struct RuleCatalogueTests {
  static let families: [(String, Int)] = [
    ("AU", 10), ("BR", 1), ("LC", 12), ("DC", 7), ("SF", 4), ("EF", 3), ("PT", 4), ("SL", 9),
    ("RG", 4), ("VI", 3), ("SP", 3), ("HY", 6), ("AC", 7), ("DF", 1), ("NO", 5), ("GX", 2),
    ("RS", 1),
  ]

  static let rules = families.flatMap { family, count in (1...count).map { "\(family)\($0)" } }

  /// The rules that a text names, ranges spelled out: "LC3", "HY3–HY5" and "AU1–4".
  static func rules(in text: some StringProtocol) -> Set<String> {
    var found: Set<String> = []
    for match in String(text).matches(
      of: #/\b([A-Z]{2})(\d{1,2})(?:[–-](?:[A-Z]{2})?(\d{1,2}))?\b/#)
    {
      guard let low = Int(match.2) else { continue }
      let high = match.3.flatMap { Int($0) } ?? low
      // A hyphen between two numbers that do not rise is no range.
      for number in low...(high > low && high <= 12 ? high : low) {
        found.insert("\(match.1)\(number)")
      }
    }
    return found
  }

  /// What stands before the colon of a display name: "AU1, AU4: …".
  static func head(ofTest text: Substring) -> Substring? {
    guard let quote = text.firstIndex(of: "\""), let colon = text[quote...].firstIndex(of: ":")
    else { return nil }
    let head = text[text.index(after: quote)..<colon]
    return head.contains("\"") ? nil : head
  }

  @Test("the catalogue's range and list notations are understood")
  func notations() {
    #expect(Self.rules(in: "AU1, AU4") == ["AU1", "AU4"])
    #expect(Self.rules(in: "AU2–AU4") == ["AU2", "AU3", "AU4"])
    #expect(Self.rules(in: "HY3-5") == ["HY3", "HY4", "HY5"])
    #expect(Self.rules.count == 82)
    #expect(Self.head(ofTest: #""LC2: a timer"#) == "LC2")
    #expect(Self.head(ofTest: #""a name without rules") func x: "#) == nil)
  }

  @Test("every rule has a test that carries its id")
  func tested() {
    var named: Set<String> = []
    for file in SourceTree.swiftFiles where file.isTest && file.room != "TidyTests" {
      // A display name may stand on the line after `@Test(`.
      for piece in file.lines.joined(separator: "\n").components(separatedBy: "@Test(").dropFirst()
      {
        if let head = Self.head(ofTest: piece.prefix(200)) { named.formUnion(Self.rules(in: head)) }
      }
    }
    let missing = Self.rules.filter { !named.contains($0) }
    #expect(missing.isEmpty, "no test is named after \(missing.joined(separator: ", "))")
  }

  @Test("every rule is named where it is implemented")
  func implemented() throws {
    var named: Set<String> = []
    for file in SourceTree.swiftFiles where !file.isTest {
      named.formUnion(Self.rules(in: file.lines.joined(separator: "\n")))
    }
    for name in try SourceTree.names(in: "scenarios/policies") {
      named.formUnion(Self.rules(in: try SourceTree.text("scenarios/policies/\(name)")))
    }
    let missing = Self.rules.filter { !named.contains($0) }
    #expect(missing.isEmpty, "no source names \(missing.joined(separator: ", "))")
  }
}
