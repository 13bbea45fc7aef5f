import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("simulate --compare", .quick)
struct CompareTests {
  private static let small = [
    "simulate", "city", "--phones", "20", "--duration", "1h", "--set", "warmStart=1h", "--ui",
    "plain",
  ]

  private func compare(_ policies: String, _ folder: URL, _ more: [String] = []) async -> Ended {
    await flotilla(Self.small + ["--compare", policies, "--out", folder.path] + more)
  }

  /// The part that must be equal in two comparisons of one scenario and seed.
  private func lasting(_ folder: URL) throws -> NSDictionary {
    let data = try Data(contentsOf: folder.appendingPathComponent("compare.json"))
    let json = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    return json.filter { !["command", "machine", "timing"].contains($0.key) } as NSDictionary
  }

  @Test("prints tables, writes its files and a run per policy, and is deterministic")
  func files() async throws {
    let folder = try TemporaryFolder()
    let ended = await compare("hybrid,significant-change,as-written", folder["a"])
    #expect(ended.code == 0, "\(ended.errorOutput)")
    #expect(ended.text.hasPrefix("Server’s knowledge of "))
    #expect(ended.text.contains("\nDifference from hybrid, same phones"))
    #expect(ended.text.contains("report   \(folder["a"].path)/report.html"))
    for name in [
      "compare.json", "compare.csv", "report.html", "summary.md", "hybrid/run.json",
      "significant-change/run.json", "as-written/run.json",
    ] {
      #expect(FileManager.default.fileExists(atPath: folder["a/\(name)"].path), "\(name)")
    }
    _ = await compare("hybrid,significant-change,as-written", folder["b"])
    #expect(try lasting(folder["a"]) == lasting(folder["b"]))
  }

  @Test("--ensemble prints intervals of a run and a comparison, the second time from the cache")
  func ensemble() async throws {
    let folder = try TemporaryFolder()
    let more = ["--ensemble", "4", "--set", "run.cache=\(folder["cache"].path)"]
    let run = await flotilla(Self.small + more + ["--out", folder["run"].path])
    #expect(run.code == 0, "\(run.errorOutput)")
    let sentence = "60 % intervals over the model’s parameters: 4 sets of 20 phones"
    #expect(run.text.contains("model    \(sentence)"))
    #expect(run.text.contains(" uploads a day ("))
    let again = await flotilla(Self.small + more + ["--out", folder["again"].path])
    func figures(_ name: String) throws -> NSDictionary {
      let data = try Data(contentsOf: folder["\(name)/run.json"])
      let json = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
      return try #require(json["ensemble"] as? NSDictionary)
    }
    #expect(again.code == 0)
    #expect(try figures("run") == figures("again"))
    let compared = await compare("hybrid,significant-change", folder["compare"], more)
    #expect(compared.code == 0, "\(compared.errorOutput)")
    #expect(compared.text.contains("\n\(sentence)\n"))
    #expect(compared.text.contains("\nDifference from hybrid at the same sets"))
  }

  @Test(
    "--ensemble is refused where it has no meaning",
    arguments: [
      ["--ensemble", "3"], ["--ensemble", "8", "--from", "noon.life"],
      ["--ensemble", "8", "--inputs", "runs/x"], ["--ensemble", "8", "--shard", "1/2"],
    ])
  func refused(more: [String]) async throws {
    let ended = await flotilla(Self.small + more)
    #expect(ended.code == 2 && ended.errorOutput.contains("--ensemble"), "\(ended.errorOutput)")
  }

  @Test("the report can be rendered from compare.json alone")
  func again() async throws {
    let folder = try TemporaryFolder()
    _ = await compare("significant-change,hybrid", folder["run"])
    let report = try Data(contentsOf: folder["run/report.html"])
    let ended = await flotilla([
      "report", folder["run"].path, "--out", folder["again"].path,
    ])
    #expect(ended.code == 0, "\(ended.errorOutput)")
    #expect(try Data(contentsOf: folder["again/report.html"]) == report)
  }

  @Test("with --ui json, standard output is only JSON, the comparison one line")
  func json() async throws {
    let folder = try TemporaryFolder()
    let ended = await compare("hybrid", folder["run"], ["--ui", "json"])
    #expect(ended.code == 0, "\(ended.errorOutput)")
    let types = try ended.text.split(separator: "\n").map { line in
      let json = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return json?["type"] as? String
    }
    #expect(types.last == "comparison")
    #expect(types.dropLast().allSatisfy { $0 == "interval" })
  }

  @Test(
    "errors in the list of policies are one line",
    arguments: [
      ("hybird,hybrid", 65, "Did you mean 'hybrid'?"), ("hybrid,", 2, "an empty name"),
      ("hybrid,hybrid", 2, "is repeated"),
    ])
  func diagnostics(policies: String, code: Int, message: String) async throws {
    let folder = try TemporaryFolder()
    let ended = await compare(policies, folder["run"])
    #expect(Int(ended.code) == code)
    #expect(ended.errorOutput.contains(message), "\(ended.errorOutput)")
    #expect(ended.errorOutput.split(separator: "\n").count == 1)
    #expect(!FileManager.default.fileExists(atPath: folder["run"].path))
  }

  @Test("Ctrl-C exits with 130 and compares the finished policies")
  func interrupt() async throws {
    let folder = try TemporaryFolder()
    let ended = await flotilla(
      [
        "simulate", "city", "--phones", "400", "--duration", "2d", "--set", "warmStart=2d",
        "--ui", "plain", "--compare", "hybrid,significant-change", "--out", folder["run"].path,
      ], stoppedWhen: { $0.contains("(2 of 2)") })
    #expect(ended.code == 130, "\(ended.errorOutput)")
    #expect(ended.text.contains("Stopped after 1 of 2 policies"))
    #expect(FileManager.default.fileExists(atPath: folder["run/compare.json"].path))
  }
}
