import Foundation
import FoundationXML
import LiveSupport
import TestSupport
import Testing

@Suite("Runs on a build server", .quick)
struct BuildServerTests {
  private let folder: TemporaryFolder
  private var junit: URL { folder["junit.xml"] }

  init() throws { folder = try TemporaryFolder() }

  /// The outcome of each case, an empty text for a passed one.
  private func cases() throws -> [String: String] {
    let nodes = try XMLDocument(contentsOf: junit).nodes(forXPath: "//testcase")
    return Dictionary(
      uniqueKeysWithValues: nodes.compactMap { $0 as? XMLElement }.map { element in
        let outcome = ["failure", "error", "skipped"].compactMap {
          element.elements(forName: $0).first
        }.first
        return (
          element.attribute(forName: "name")?.stringValue ?? "",
          outcome.map { "\($0.name ?? ""): \($0.attribute(forName: "message")?.stringValue ?? "")" }
            ?? ""
        )
      })
  }

  private func simulate(
    _ settings: [String], environment: [String: String] = [:]
  ) async throws -> Ended {
    var trial = Trial(phones: 40, duration: "2h")
    trial.settings = ["warmStart=1h"] + settings
    return await flotilla(
      ["simulate"] + trial.options(out: folder["run"]) + ["--ensemble", "0"],
      environment: environment.merging(["FLOTILLA_JUNIT": junit.path]) { $1 })
  }

  @Test("JUnit XML is red exactly if the run fails")
  func outcomes() async throws {
    let met = try await simulate(["slo.freshness={ share: 1%, of: reachable }"])
    #expect(met.code == 0, "\(met.text)\(met.errorOutput)")
    #expect(try cases()["verdict"]?.isEmpty == true && cases()["freshness"]?.isEmpty == true)
    #expect(!met.text.contains("::error"))
    let missed = try await simulate(["slo.freshness={ share: 99.9%, of: reachable }"])
    #expect(missed.code == 99, "\(missed.text)\(missed.errorOutput)")
    #expect(try cases()["freshness"]?.contains("(SLO ≥ 99.9 %)") == true)
    #expect(try cases()["verdict"]?.hasPrefix("failure: slo-missed") == true)
  }

  @Test("a run that fails before it begins leaves its error")
  func failure() async throws {
    let ended = try await simulate(["fleet.nonsense=1"])
    #expect(ended.code == 65)
    #expect(try cases().keys.sorted() == ["end"])
    #expect(try cases()["end"]?.hasPrefix("error: --set fleet.nonsense=1") == true)
    let nowhere = await flotilla([
      "simulate", "city", "--junit", folder["no/folder.xml"].path, "--out", folder["b"].path,
    ])
    nowhere.expectOneLine(73, "no/folder.xml: cannot be written")
    #expect(!FileManager.default.fileExists(atPath: folder["b"].path))
  }

  @Test("an interrupted run decides nothing")
  func interrupted() async throws {
    var trial = Trial.endless
    trial.phones = 300
    trial.settings = ["warmStart=336h"]
    let ended = await flotilla(
      ["load"] + trial.options(out: folder["run"]) + ["--junit", junit.path],
      stoppedWhen: { $0.contains("warm start") })
    #expect(ended.code == 130, "\(ended.errorOutput)")
    #expect(try cases()["verdict"]?.hasPrefix("error: interrupted") == true)
    #expect(try cases().values.allSatisfy { $0.hasPrefix("error") || $0.hasPrefix("skipped") })
  }

  @Test("a plan has its verdict, and GitHub a summary of it")
  func plan() async throws {
    let page = folder["summary.md"]
    try "before\n".write(to: page, atomically: true, encoding: .utf8)
    let ended = await flotilla(
      [
        "plan", "city", "--phones", "60", "--duration", "1h", "--set", "warmStart=0s",
        "--capacity", "100", "--out", folder["plan"].path, "--junit", junit.path,
      ], environment: ["GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": page.path])
    #expect(ended.code == 0, "\(ended.errorOutput)")
    #expect(try cases() == ["verdict": ""])
    let text = try String(contentsOf: page, encoding: .utf8)
    #expect(text.hasPrefix("before\n### flotilla plan city\n"))
    #expect(text.contains("\n| verdict | pass"))
  }

  @Test("on GitHub missed objectives are annotations, elsewhere not")
  func gitHub() async throws {
    let page = folder["summary.md"]
    try "".write(to: page, atomically: true, encoding: .utf8)
    let settings = ["slo.freshness={ share: 99.9%, of: reachable }"]
    let ended = try await simulate(
      settings, environment: ["GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": page.path])
    #expect(ended.code == 99)
    let marks = ended.text.split(separator: "\n").filter { $0.hasPrefix("::") }
    #expect(marks.count == 1)
    #expect(marks[0].hasPrefix("::error title=flotilla simulate city%3A freshness::"))
    #expect(marks[0].contains("(SLO ≥ 99.9 %25)"))
    let text = try String(contentsOf: page, encoding: .utf8)
    #expect(text.contains("| freshness |") && text.contains("\nverdict  slo-missed\n"))
    let other = try await simulate(
      settings, environment: ["GITHUB_ACTIONS": "1", "GITHUB_STEP_SUMMARY": page.path])
    #expect(!other.text.contains("::error"))
    #expect(try String(contentsOf: page, encoding: .utf8) == text)
  }

  @Test("--junit is for one run")
  func refused() async {
    let ended = await flotilla(
      ["simulate", "city", "--compare", "hybrid,places", "--junit", junit.path])
    ended.expectOneLine(2, "--junit is for a single run; remove --junit or --compare")
  }
}
