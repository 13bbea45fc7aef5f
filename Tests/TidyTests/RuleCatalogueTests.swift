import Foundation
import TestSupport
import Testing

/// A row of the rule catalogue, `Sources/Phone/Phone.docc/Rules.md`.
struct CataloguedRule: CustomStringConvertible, Sendable {
  let id: String
  let sentence: String
  let confidence: String
  let source: String
  var description: String { id }
  var family: Substring { RuleCatalogueTests.family(of: id) }

  static let path = "Sources/Phone/Phone.docc/Rules.md"

  static let all: [CataloguedRule] = {
    let text = (try? SourceTree.text(path)) ?? ""
    return text.matches(
      of: #/\| ([A-Z]{2,3}[0-9]{1,2}) \| ([^|]+) \| ([^|]*) \| ([^|]*) \|/#
    ).map { match in
      CataloguedRule(
        id: String(match.1), sentence: String(match.2), confidence: String(match.3),
        source: String(match.4))
    }
  }()
}

/// The rule catalogue: each rule is named in its implementation and in its test.
@Suite("Behaviour catalogue", .quick)
struct RuleCatalogueTests {
  static let rules = CataloguedRule.all.map(\.id)

  /// The letters of an id: two for all systems and for iOS, three for Android.
  static func family(of id: String) -> Substring { id.prefix { $0.isLetter } }

  /// The rules named in a text, with ranges expanded: "LC3", "HY3–HY5" and "AU1–4".
  static func rules(in text: some StringProtocol) -> Set<String> {
    var found: Set<String> = []
    for match in String(text).matches(
      of: #/\b([A-Z]{2,3})(\d{1,2})(?:[–-](?:[A-Z]{2,3})?(\d{1,2}))?\b/#)
    {
      guard let low = Int(match.2) else { continue }
      let high = match.3.flatMap { Int($0) } ?? low
      // A hyphen between numbers that do not increase is not a range.
      for number in low...(high > low && high <= 12 ? high : low) {
        found.insert("\(match.1)\(number)")
      }
    }
    return found
  }

  /// The part before the colon of a display name: "AU1, AU4: …".
  static func head(ofTest text: Substring) -> Substring? {
    guard let quote = text.firstIndex(of: "\""), let colon = text[quote...].firstIndex(of: ":")
    else { return nil }
    let head = text[text.index(after: quote)..<colon]
    return head.contains("\"") ? nil : head
  }

  @Test("ranges and lists of the catalogue are parsed")
  func notations() {
    #expect(Self.rules(in: "AU1, AU4") == ["AU1", "AU4"])
    #expect(Self.rules(in: "AU2–AU4") == ["AU2", "AU3", "AU4"])
    #expect(Self.rules(in: "HY3-5") == ["HY3", "HY4", "HY5"])
    #expect(Self.rules(in: "ADZ1–ADZ3, AFC11") == ["ADZ1", "ADZ2", "ADZ3", "AFC11"])
    #expect(Self.family(of: "LC16") == "LC" && Self.family(of: "ALC10") == "ALC")
    #expect(Self.head(ofTest: #""LC2: a timer"#) == "LC2")
    #expect(Self.head(ofTest: #""a name without rules") func x: "#) == nil)
  }

  @Test("every rule has a unique id, a full sentence, a confidence and a source")
  func catalogue() {
    #expect(Self.rules.count >= 200)
    #expect(Set(Self.rules).count == Self.rules.count)
    for rule in CataloguedRule.all {
      #expect(
        rule.sentence.hasSuffix(".") && rule.sentence.split(separator: " ").count >= 5, "\(rule)")
      #expect(["R", "r", "M", "A"].contains(rule.confidence), "\(rule): \(rule.confidence)")
      #expect(!rule.source.trimmingCharacters(in: .whitespaces).isEmpty, "\(rule)")
    }
  }

  @Test("every id in sources, tests and scenarios is in the catalogue")
  func cited() throws {
    let known = Set(Self.rules)
    let families = Set(CataloguedRule.all.map(\.family))
    var texts = SourceTree.swiftFiles.filter { $0.room != "TidyTests" }.map {
      ($0.path, $0.lines.joined(separator: "\n"))
    }
    for folder in ["scenarios", "scenarios/policies", "scenarios/profiles/os"] {
      for name in try SourceTree.names(in: folder) where name.hasSuffix(".yaml") {
        texts.append(("\(folder)/\(name)", try SourceTree.text("\(folder)/\(name)")))
      }
    }
    for (path, text) in texts {
      let unknown = Self.rules(in: text).filter {
        families.contains(Self.family(of: $0)) && !known.contains($0)
      }
      #expect(unknown.isEmpty, "\(path) cites \(unknown.sorted().joined(separator: ", "))")
    }
  }

  @Test("every rule has a test with its id")
  func tested() {
    var named: Set<String> = []
    for file in SourceTree.swiftFiles where file.isTest && file.room != "TidyTests" {
      // A display name may be on the line after `@Test(`.
      for piece in file.lines.joined(separator: "\n").components(separatedBy: "@Test(").dropFirst()
      {
        if let head = Self.head(ofTest: piece.prefix(200)) { named.formUnion(Self.rules(in: head)) }
      }
    }
    let missing = Self.rules.filter { !named.contains($0) }
    #expect(missing.isEmpty, "no test is named after \(missing.joined(separator: ", "))")
  }

  @Test("every rule is named in its implementation")
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
