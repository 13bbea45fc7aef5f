import Foundation
import TestSupport
import Testing

@testable import Core
@testable import Figures
@testable import Report
@testable import ReportSupport

/// A sentence that cites an unknown key is dropped, so renaming a key would silently remove its
/// sentence. These tests detect it.
@Suite("Keys that sentences cite", .quick)
struct CitedKeyTests {
  /// Every key that the sources cite, with a `*` for interpolations.
  static func keys(in text: String) -> [String] {
    text.matches(
      of:
        #/(?:cite|piece|interval|facts\.[nvt][a-z]+)\(\s*"((?:\\\([^()]*\)|[^"\\])+)"/#
    ).map { String($0.1).replacing(#/\\\([^()]*\)/#, with: "*") }
  }

  static var cited: Set<String> {
    get throws {
      let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources")
      var found: Set<String> = []
      for room in ["Report", "Figures"] {
        let folder = sources.appendingPathComponent(room).path
        let paths = FileManager.default.enumerator(atPath: folder)?.allObjects as? [String] ?? []
        for path in paths where path.hasSuffix(".swift") {
          found.formUnion(
            keys(in: try String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8)))
        }
      }
      return found
    }
  }

  /// Every path of a record, with list indices as numbers.
  static func paths(_ value: Any, _ path: String = "") -> Set<String> {
    let begin = path.isEmpty ? "" : "\(path)."
    var found: Set<String> = path.isEmpty ? [] : [path]
    if let map = value as? [String: Any] {
      for (key, inner) in map { found.formUnion(paths(inner, begin + key)) }
    } else if let list = value as? [Any] {
      for (place, inner) in list.enumerated() { found.formUnion(paths(inner, "\(begin)\(place)")) }
    }
    return found
  }

  /// Of a load, of loads that ended otherwise, of a simulation, of a plan, also with viewers, with a battery, with
  /// pushes that no policy answers, and of a user's own backend.
  static var known: Set<String> {
    get throws {
      var powered = RunRecord()
      powered.energy.perPhoneDay = .init()
      powered.wake.unanswerable = .init(
        requested: 4, eligible: 3, answered: 1, othersOutcomes: ["no-fix": 1])
      let values = [EnsembleFigures.instances: 2.0]
      powered.ensemble = EnsembleFigures(
        sets: 8, phones: 300, Dictionary(uniqueKeysWithValues: (0..<8).map { ($0, values) }))
      powered.target = TargetFigures(
        name: "acme", address: "http://127.0.0.1:8080", carrier: "http", client: "Acme 1.0")
      let records =
        RunFixture.verdicts.map(\.1.record) + [PlanFixture.record(), PlanFixture.viewed, powered]
      let study = try JSONSerialization.jsonObject(with: SensitivityFixture.record.json())
      let evidence = try JSONSerialization.jsonObject(
        with: JSONEncoder().encode(SurenessTests.evidence))
      let fit = try JSONSerialization.jsonObject(
        with: FitFixture.record(isSimulated: true).json())
      let others = paths(study).union(paths(evidence)).union(paths(fit))
      return try records.reduce(into: others) { found, record in
        found.formUnion(paths(try JSONSerialization.jsonObject(with: record.json())))
      }
    }
  }

  static func isKnown(_ key: String, _ paths: Set<String>) -> Bool {
    guard key.contains("*") else { return paths.contains(key) }
    let steps = key.split(separator: ".")
    return paths.contains { path in
      // Most have another suffix and need not be parsed.
      guard steps.last == "*" || path.hasSuffix(steps.last ?? "") else { return false }
      let found = path.split(separator: ".")
      // A leading interpolation may be a whole path.
      guard found.count == steps.count || steps[0] == "*" && found.count > steps.count else {
        return false
      }
      return zip(steps.reversed(), found.reversed()).allSatisfy { $0 == "*" || $0 == $1 }
    }
  }

  @Test("every key that a sentence cites is in a record")
  func known() throws {
    let (cited, known) = (try Self.cited, try Self.known)
    #expect(cited.count > 60)
    let unknown = cited.filter { !Self.isKnown($0, known) }.sorted()
    #expect(unknown.isEmpty, "no record has \(unknown.joined(separator: ", "))")
  }

  @Test("keys are found in the sources, and a wrong one is not found")
  func found() throws {
    let text = #"facts.cite("a.b", .count) + facts.piece("stale.\(cause)", .text) + value("c")"#
    #expect(Self.keys(in: text) == ["a.b", "stale.*"])
    let known: Set = ["a", "a.b", "stale", "stale.dead", "slo.0.actual"]
    #expect(Self.isKnown("a.b", known) && Self.isKnown("stale.*", known))
    #expect(Self.isKnown("slo.*.actual", known) && Self.isKnown("*.actual", known))
    #expect(!Self.isKnown("a.c", known) && !Self.isKnown("slo.*.actuals", known))
  }
}
