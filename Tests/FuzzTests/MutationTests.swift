internal import Foundation
internal import SimulationCore
internal import Testing

/// Broken neighbours of good files, drawn from a seed: the fuzzers' checks wherever libFuzzer is
/// not. `FLOTILLA_FUZZ_SECONDS` makes them run longer, on other seeds.
struct Mutator {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  static let seconds = ProcessInfo.processInfo.environment["FLOTILLA_FUZZ_SECONDS"]
    .flatMap(Double.init)
  /// As many as a second allows; the same ones in every run.
  static let countByDefault = 400

  let seeds: [[UInt8]]
  let words: [[UInt8]]
  private var draw: Draw

  init(files: [String], words: [String], number: Int64) throws {
    // A neighbour of a few thousand bytes is met as often in its tail as in its head.
    seeds = try files.map {
      Array(try Data(contentsOf: Self.root.appendingPathComponent($0)).prefix(4_096))
    }
    self.words = words.map { Array($0.utf8) }
    draw = Draw(seed: 1, phone: 0, Purpose(rawValue: 900), number)
  }

  mutating func next() -> [UInt8] {
    var bytes = seeds[below(seeds.count)]
    for _ in 0...below(6) {
      let place = below(bytes.count + 1)
      switch below(6) {
      case 0: if place < bytes.count { bytes[place] = UInt8(below(256)) }
      case 1: bytes.removeSubrange(place..<min(bytes.count, place + below(64)))
      case 2: bytes.insert(contentsOf: words[below(words.count)], at: place)
      case 3:
        bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + below(200))], at: place)
      case 4: bytes.removeLast(bytes.count - place)
      default:
        let word = words[below(words.count)]
        bytes.replaceSubrange(place..<min(bytes.count, place + word.count), with: word)
      }
      if bytes.isEmpty { bytes = [0] }
    }
    return bytes
  }

  private mutating func below(_ limit: Int) -> Int { Int(draw.next() % UInt64(max(1, limit))) }

  /// Checks mutants until count or time is up.
  static func run(files: [String], words: [String], _ check: ([UInt8]) -> Void) throws {
    let clock = ContinuousClock()
    let end = seconds.map { clock.now + .seconds($0) }
    var number: Int64 = 0
    while end.map({ clock.now < $0 }) ?? (number < 8) {
      var mutator = try Mutator(files: files, words: words, number: number)
      for _ in 0..<countByDefault / 8 { check(mutator.next()) }
      number += 1
    }
  }
}

@Suite("Broken neighbours of good files")
struct MutationTests {
  @Test("of recordings neither trap nor hang, and what is read of them can be lived")
  func recordings() throws {
    try Mutator.run(
      files: [
        "scenarios/recordings/ride-to-work.gpx", "scenarios/recordings/walk-in-the-park.gpx",
      ],
      words: [
        "<trkpt lat='1' lon='2'>", "</trkpt>", "<trkseg>", "</trkseg>", "<!--", "-->", "<![CDATA[",
        "]]>", "<!DOCTYPE", "<?", "?>", "9999-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "180",
        "-180", "84.999999", "xmlns='urn:x'", "\u{0}", "/>", "<time>", "</time>", "1e308", "&#0;",
      ], RecordingCheck.check)
  }

  @Test("of scenarios are read back from their own text, or explained")
  func scenarios() throws {
    try Mutator.run(
      files: ["scenarios/city.yaml", "scenarios/policies/hybrid.yaml"],
      words: [
        "none", "[", "]", "{", "}", ": ", "- ", "\n  ", "fleet", "cohorts", "policies", "base: x",
        "99999999999999999999", "-1", "1e9", "0", "30%", "&a", "*a", "!!str ", "|\n", "\"", "'",
        "\u{FEFF}", "\u{2028}", "--set seed=1\n", "gpx: /dev/null", "2026-02-30T00:00", "+14:00",
      ], ScenarioCheck.check)
  }
}
