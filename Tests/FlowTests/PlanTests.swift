import Foundation
import LiveSupport
import Testing

@Suite("demand and plan", .timeLimit(.minutes(2)))
struct PlanTests {
  private static let small = [
    "city", "--phones", "50", "--duration", "1h", "--set", "warmStart=1h", "--set",
    "run.cache=off", "--ui", "plain",
  ]

  @Test("an export is the only standard output, and its sum matches the table")
  func export() async throws {
    let folder = try TemporaryFolder()
    let ended = try await Program.run(
      ["demand"] + Self.small + ["--out", folder["a"].path, "--export", "csv"])
    #expect(ended.code == 0, "\(ended.errorOutput)")
    let rows = ended.text.split(separator: "\n")
    #expect(rows[0].hasPrefix("second,batches,"))
    #expect(rows.count == 3_601)
    let sum = rows.dropFirst().reduce(0) { $0 + (Int($1.split(separator: ",")[1]) ?? 0) }
    let run = try RunFiles(folder: folder["a"]).record
    #expect(try run.number("demand.curve.batches") == Double(sum))
    let wrong = try await Program.run(["demand"] + Self.small + ["--export", "xml"])
    #expect(wrong.code == 2)
    #expect(wrong.errorOutput.contains("csv, ndjson, h2load"))
  }

  @Test("a plan with a given capacity sizes the hardware; run.json has all numbers")
  func given() async throws {
    let folder = try TemporaryFolder()
    let prices = folder["prices.yaml"]
    try "currency: EUR\ninstance: { name: small, cores: 2, memory: 4GiB, price: 0.1 }\nspare: 2\n"
      .write(to: prices, atomically: true, encoding: .utf8)
    let ended = try await Program.run(
      ["plan"] + Self.small + [
        "--capacity", "2500/s/core", "--prices", prices.path, "--policies",
        "significant-change", "--out", folder["a"].path,
      ])
    #expect(ended.code == 0, "\(ended.errorOutput)")
    #expect(ended.text.hasPrefix("answer   50 phones of city need 3 instances [3 – 3] of 2 cores"))
    #expect(ended.text.contains("capacity given by --capacity, phones with iOS"))
    let run = try RunFiles(folder: folder["a"]).record
    #expect(try run.number("size.instances") == 3)
    #expect(try run.number("capacity.perCore.low") == 2_500)
    let html = try String(contentsOf: folder["a/report.html"], encoding: .utf8)
    #expect(html.contains("data-key=\"size.instances\""))
    #expect(html.contains("Other policies"))
    let first = try String(contentsOf: folder["a/summary.md"], encoding: .utf8)
    #expect(first.contains("**50 phones of city need 3 instances"))
  }
}
