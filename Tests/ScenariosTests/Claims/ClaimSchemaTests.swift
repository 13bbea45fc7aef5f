internal import TestSupport
internal import Testing

@testable internal import Scenarios

@Suite("Registered claims as files", .quick)
struct ClaimSchemaTests {
  static let entry = """
    - id: A-some-claim
      area: accuracy
      kind: predict
      weight: B
      claim: "Fixes lie 30 m off."
      source:
        address: "https://example.org/fixes"
        title: "Fixes"
        year: 2019
        device: "iPhone 11"
        os: ""
      registered: 7f7c66a
      measure: "median error of all fixes"
      band: [20, 45]
      unit: "m"
      why: "factor of 1.5 to each side"

    """

  private static func read(_ text: String) -> (claims: [RegisteredClaim], mistakes: [String]) {
    var parser = YAMLParser(text) { .file("claims.yaml", line: $0, column: $1) }
    var reading = Reading(library: FileLibrary(folders: []))
    do throws(ScenarioError) {
      guard let root = try parser.document() else { return ([], ["is empty"]) }
      let claims = reading.claims(root)
      return (claims, (parser.diagnostics + reading.diagnostics).map(\.description))
    } catch {
      return ([], error.diagnostics.map(\.description))
    }
  }

  @Test("an entry has the claim, its source, and its band")
  func complete() throws {
    let (claims, mistakes) = Self.read(Self.entry)
    #expect(mistakes.isEmpty, "\(mistakes)")
    let claim = try #require(claims.first)
    #expect(claim.id == "A-some-claim" && claim.area == .accuracy && claim.kind == .predict)
    #expect(claim.weight == .log && claim.band == Band(20, 45) && claim.unit == "m")
    #expect(claim.source.year == 2_019 && claim.source.system.isEmpty && claim.note.isEmpty)
    #expect(claim.registered == "7f7c66a")
  }

  @Test(
    "a mistake is reported with its line and the allowed values",
    arguments: [
      ("kind: predict", "kind: sure", "claims.yaml:3:9", "fit, fitted, predict"),
      ("weight: B", "weight: D", "claims.yaml:4:11", "A, B, C"),
      ("band: [20, 45]", "band: [20]", "claims.yaml:14:9", "a list of 2"),
      ("band: [20, 45]", "band: [45, 20]", "claims.yaml:14:9", "write [low, high]"),
      ("7f7c66a", "yesterday", "claims.yaml:12:15", "a commit of 7 to 40"),
      ("area: accuracy\n", "area: weather\n", "claims.yaml:2:9", "movement"),
      ("  unit:", "  units:", "claims.yaml:15:3", "unit"),
    ])
  func mistakes(right: String, wrong: String, place: String, said: String) {
    let text = Self.entry.replacing(right, with: wrong)
    let found = Self.read(text).mistakes
    #expect(found.contains { $0.hasPrefix("\(place):") && $0.contains(said) }, "\(found)")
  }

  @Test("every key but the note is required, and an id is used once")
  func required() {
    let without = Self.entry.replacing("  why: \"factor of 1.5 to each side\"\n", with: "")
    #expect(Self.read(without).mistakes.contains { $0.contains("the key 'why' is missing") })
    let twice = Self.read(Self.entry + Self.entry).mistakes
    #expect(twice.count == 1 && twice[0].hasPrefix("claims.yaml:17:3"), "\(twice)")
  }

  @Test("the shipped claims are read from the first folder that has any")
  func shippedClaims() throws {
    let claims = try shipped.claims()
    #expect(claims.count >= 127)
    #expect(try ScenarioLibrary(folders: []).claims().isEmpty)
    #expect(
      try ScenarioLibrary(folders: ["/nowhere"] + shipped.folders).claims().count == claims.count)
  }
}
