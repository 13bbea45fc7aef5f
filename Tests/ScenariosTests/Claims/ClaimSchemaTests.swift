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
      value: 30
      error: x1.5
      of: population-median
      group: fix-error
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
    #expect(
      claim.observation
        == Observation(value: 30, error: .factor(1.5), of: .populationMedian, group: "fix-error"))
    #expect(claim.source.year == 2_019 && claim.source.system.isEmpty && claim.note.isEmpty)
    #expect(claim.registered == "7f7c66a")
  }

  @Test(
    "a mistake is reported with its line and the allowed values",
    arguments: [
      ("kind: predict", "kind: sure", "claims.yaml:3:9", "fit, fitted, predict"),
      ("weight: B", "weight: D", "claims.yaml:4:11", "A, B, C"),
      ("band: [20, 45]", "band: [20]", "claims.yaml:18:9", "a list of 2"),
      ("band: [20, 45]", "band: [45, 20]", "claims.yaml:18:9", "write [low, high]"),
      ("7f7c66a", "yesterday", "claims.yaml:12:15", "a commit of 7 to 40"),
      ("area: accuracy\n", "area: weather\n", "claims.yaml:2:9", "movement"),
      ("  unit:", "  units:", "claims.yaml:19:3", "unit"),
      ("value: 30", "value: 30 m", "claims.yaml:14:10", "a number"),
      ("value: 30", "value: 50", "claims.yaml:14:10", "the value 50 is outside the band"),
      ("error: x1.5", "error: 25%", "claims.yaml:15:10", "a factor of at least 1 such as x1.25"),
      ("error: x1.5", "error: x0.5", "claims.yaml:15:10", "'x0.5' is not an error"),
      ("of: population-median", "of: median", "claims.yaml:16:7", "one-phone"),
      ("of: population-median", "of: extreme of one", "claims.yaml:16:7", "extreme of 100"),
      ("of: population-median", "of: bound", "claims.yaml:16:7", "a band with one end"),
      ("band: [20, 45]", "band: [none, 45]", "claims.yaml:16:7", "a band with one end"),
      ("band: [20, 45]", "band: [none, none]", "claims.yaml:18:9", "write [low, high]"),
      ("group: fix-error", "group: fix error", "claims.yaml:17:10", "a name"),
    ])
  func mistakes(right: String, wrong: String, place: String, said: String) {
    let text = Self.entry.replacing(right, with: wrong)
    let found = Self.read(text).mistakes
    #expect(found.contains { $0.hasPrefix("\(place):") && $0.contains(said) }, "\(found)")
  }

  @Test("several wrong fields are reported at once, one line each")
  func severalMistakes() {
    let text = Self.entry.replacing("error: x1.5", with: "error: some")
      .replacing("of: population-median", with: "of: all").replacing("group: fix-error", with: "")
    let found = Self.read(text).mistakes
    #expect(found.count == 3, "\(found)")
  }

  @Test("a bound has one end; errors and extremes are read in their notation")
  func bounds() throws {
    func claim(_ changes: (String, String)...) throws -> RegisteredClaim {
      let text = changes.reduce(Self.entry) { $0.replacing($1.0, with: $1.1) }
      let (claims, mistakes) = Self.read(text)
      #expect(mistakes.isEmpty, "\(mistakes)")
      return try #require(claims.first)
    }
    let less = try claim(("population-median", "bound"), ("[20, 45]", "[none, 30]"))
    #expect(less.observation.of == .bound && less.band == Band(nil, 30))
    #expect(less.band.contains(-5) && !less.band.contains(31))
    let worst = try claim(("population-median", "extreme of 50"), ("x1.5", "±3"))
    #expect(worst.observation.of == .extreme(of: 50) && worst.observation.error == .absolute(3))
  }

  @Test("a correction keeps what was registered")
  func correction() throws {
    let corrected = """
        corrected:
          date: 2026-11-27
          band: [25, 45]
          why: "the source has no such end"

      """
    let (claims, mistakes) = Self.read(Self.entry + corrected)
    #expect(mistakes.isEmpty, "\(mistakes)")
    let correction = try #require(claims.first?.correction)
    #expect(correction.band == Band(25, 45) && correction.measure == nil)
    let without = corrected.replacing("    why: \"the source has no such end\"\n", with: "")
    #expect(Self.read(Self.entry + without).mistakes.contains { $0.contains("'why' is missing") })
  }

  @Test("every key but the note is required, and an id is used once")
  func required() {
    let without = Self.entry.replacing("  why: \"factor of 1.5 to each side\"\n", with: "")
    #expect(Self.read(without).mistakes.contains { $0.contains("the key 'why' is missing") })
    let twice = Self.read(Self.entry + Self.entry).mistakes
    #expect(twice.count == 1 && twice[0].hasPrefix("claims.yaml:21:3"), "\(twice)")
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
