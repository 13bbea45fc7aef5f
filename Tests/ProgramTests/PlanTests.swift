import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("demand and plan", .quick)
struct PlanTests {
  private static let small = [
    "city", "--phones", "60", "--duration", "1h", "--set", "warmStart=1h", "--set",
    "run.cache=off",
    "--ui", "plain",
  ]

  @Test("demand prints its answer and writes its files; the report can be rendered from them")
  func demand() async throws {
    let folder = try TemporaryFolder()
    let ended = await flotilla(["demand"] + Self.small + ["--out", folder["a"].path])
    #expect(ended.code == 0, "\(ended.errorOutput)")
    #expect(ended.text.hasPrefix("answer   60 phones of city send "))
    #expect(ended.text.contains("to sustain for a wait of at most 50 ms"))
    for name in ["run.json", "demand.csv", "report.html", "summary.md"] {
      #expect(FileManager.default.fileExists(atPath: folder["a/\(name)"].path), "\(name)")
    }
    let rows = try String(contentsOf: folder["a/demand.csv"], encoding: .utf8)
      .split(separator: "\n")
    #expect(rows.count == 3_601)
    let again = await flotilla([
      "report", folder["a"].path, "--out", folder["again"].path,
    ])
    #expect(again.code == 0, "\(again.errorOutput)")
    for name in ["report.html", "summary.md"] {
      #expect(
        try Data(contentsOf: folder["again/\(name)"]) == Data(contentsOf: folder["a/\(name)"]))
    }
  }

  @Test("phones begin and end their nights at different times: no second has many uploads")
  func night() async throws {
    let folder = try TemporaryFolder()
    let ended = await flotilla([
      "demand", "city", "--phones", "1000", "--set", "start=2026-03-02T22:30", "--set",
      "warmStart=4h", "--duration", "8h", "--ui", "none", "--out", folder["a"].path,
    ])
    #expect(ended.code == 0, "\(ended.errorOutput)")
    // One batch in 6 s on average. Nights that began everywhere at 23:00 gave seconds of 20.
    let record = try RunFiles(folder: folder["a"]).record
    let peak = try record.number("demand.curve.peakSecond.batchesPerSecond")
    #expect((1...8).contains(peak), "\(peak)")
  }

  @Test("a growth estimates larger fleets, with the basis of each line")
  func growth() async throws {
    let folder = try TemporaryFolder()
    let ended = await flotilla([
      "plan", "city", "--phones", "100M", "--fleet", "--lived", "100", "--duration", "1h",
      "--set", "warmStart=1h", "--capacity", "2500/s/core", "--ui", "plain",
      "--out", folder["a"].path,
    ])
    #expect(ended.code == 0, "\(ended.errorOutput)")
    let text = ended.text
    #expect(text.contains(#/phones +10,000,000 +100,000,000 +1,000,000,000 +basis/#), "\(text)")
    let memory = #/memory of the ranks +\S+ GiB +\S+ [GT]iB +\S+ TiB +measured/#
    #expect(text.contains(memory), "\(text)")
    #expect(text.contains(#/PostgreSQL shards +— +— +— +not measured; use --store postgresql/#))
    #expect(text.contains(#/capacity per core +2,500 batches\/s, given/#))
    let record = try RunFiles(folder: folder["a"]).record
    #expect(try record.number("growth.rows.1.phones") == 100e6)
    let (ranks, more) = try (
      record.number("growth.rows.1.ranks"), record.number("growth.rows.2.ranks")
    )
    #expect(ranks > 1 && abs(more / ranks - 10) < 0.5)
    let report = try String(contentsOf: folder["a/report.html"], encoding: .utf8)
    #expect(report.contains("Inputs"))
  }

  @Test("an export is the only standard output, and its sum matches the table")
  func export() async throws {
    let folder = try TemporaryFolder()
    let ended = await flotilla(
      ["demand"] + Self.small + ["--out", folder["a"].path, "--export", "csv"])
    #expect(ended.code == 0, "\(ended.errorOutput)")
    let rows = ended.text.split(separator: "\n")
    #expect(rows[0].hasPrefix("second,batches,"))
    #expect(rows.count == 3_601)
    let sum = rows.dropFirst().reduce(0) { $0 + (Int($1.split(separator: ",")[1]) ?? 0) }
    let run = try RunFiles(folder: folder["a"]).record
    #expect(try run.number("demand.curve.batches") == Double(sum))
    let wrong = await flotilla(["demand"] + Self.small + ["--export", "xml"])
    #expect(wrong.code == 2)
    #expect(wrong.errorOutput.contains("csv, ndjson, h2load"))
  }

  @Test("a plan with a given capacity sizes the hardware; run.json has all numbers")
  func given() async throws {
    let folder = try TemporaryFolder()
    let prices = folder["prices.yaml"]
    try "currency: EUR\ninstance: { name: small, cores: 2, memory: 4GiB, price: 0.1 }\nspare: 2\n"
      .write(to: prices, atomically: true, encoding: .utf8)
    let ended = await flotilla(
      ["plan"] + Self.small + [
        "--capacity", "2500/s/core", "--prices", prices.path, "--policies",
        "significant-change", "--out", folder["a"].path,
      ])
    #expect(ended.code == 0, "\(ended.errorOutput)")
    #expect(ended.text.hasPrefix("answer   60 phones of city need 3 instances [3 – 3] of 2 cores"))
    #expect(ended.text.contains("capacity given by --capacity, phones with iOS"))
    let run = try RunFiles(folder: folder["a"]).record
    #expect(try run.number("size.instances") == 3)
    #expect(try run.number("capacity.perCore.low") == 2_500)
    let html = try String(contentsOf: folder["a/report.html"], encoding: .utf8)
    #expect(html.contains("data-key=\"size.instances\""))
    #expect(html.contains("Other policies"))
    let first = try String(contentsOf: folder["a/summary.md"], encoding: .utf8)
    #expect(first.contains("**60 phones of city need 3 instances"))
  }

  private static let ensemble = [
    "city", "--phones", "30", "--duration", "2h", "--set", "warmStart=1h", "--ui", "plain",
    "--ensemble",
  ]

  @Test("--ensemble prints intervals of a demand, the second time from the cache")
  func demandEnsemble() async throws {
    let folder = try TemporaryFolder()
    let words =
      ["demand"] + Self.ensemble + [
        "4", "--set", "run.cache=\(folder["cache"].path)", "--out",
      ]
    let ended = await flotilla(words + [folder["a"].path])
    #expect(ended.code == 0, "\(ended.errorOutput)")
    #expect(
      ended.text.contains(
        "model    60 % intervals over the model’s parameters: 4 sets of 30 phones"))
    #expect(ended.text.contains(#/busiest hour +\S+ \(\S+ – \S+\) batches/s/#), "\(ended.text)")
    #expect(ended.text.contains(#/per phone-day +\S+ \(\S+ – \S+\) batches of/#), "\(ended.text)")
    let again = await flotilla(words + [folder["b"].path])
    #expect(again.code == 0)
    let kept = try FileManager.default.contentsOfDirectory(atPath: folder["cache"].path)
    #expect(kept.count { $0.hasSuffix(".figures") } == 1, "\(kept)")
    let (first, second) = try (
      RunFiles(folder: folder["a"]).record, RunFiles(folder: folder["b"]).record
    )
    for key in ["busiest-hour.low", "busiest-hour.high", "batches.low", "fresh.low"] {
      let number = try first.number("ensemble.figures.\(key)")
      #expect(number > 0, "\(key)")
      #expect(try second.number("ensemble.figures.\(key)") == number, "\(key)")
    }
    let html = try String(contentsOf: folder["a/report.html"], encoding: .utf8)
    #expect(html.contains("data-key=\"ensemble.figures.busiest-hour.high\""))
  }

  @Test("--ensemble prints intervals of a plan's peak and of its instances")
  func planEnsemble() async throws {
    let folder = try TemporaryFolder()
    let ended = await flotilla(
      ["plan"] + Self.ensemble + [
        "6", "--set", "run.cache=off", "--capacity", "0.5/s/core", "--out", folder["a"].path,
      ])
    #expect(ended.code == 0, "\(ended.errorOutput)")
    let said = #/need [\d,]+ instances \[.+?\] \([\d,]+ – [\d,]+ over the model’s parameters\) of/#
    #expect(ended.text.contains(said), "\(ended.text)")
    let record = try RunFiles(folder: folder["a"]).record
    func ends(_ figure: String) throws -> (low: Double, high: Double) {
      (
        try record.number("ensemble.figures.\(figure).low"),
        try record.number("ensemble.figures.\(figure).high")
      )
    }
    let (peak, hour, instances) = try (ends("peak"), ends("busiest-hour"), ends("instances"))
    #expect(instances.low < instances.high && instances.low.rounded() == instances.low)
    // The peak is in proportion to the busiest hour.
    let rate = try record.number("size.rate.value")
    let usual = try record.number("demand.curve.peakHour.batchesPerSecond")
    #expect(abs(peak.high / rate - hour.high / usual) < 1e-3)
    #expect(abs(peak.low / rate - hour.low / usual) < 1e-3)
  }

  @Test("after Ctrl-C, --ensemble reports the demand and the finished sets")
  func stoppedEnsemble() async throws {
    let folder = try TemporaryFolder()
    let ended = await flotilla(
      ["demand"] + Self.ensemble + [
        "1000", "--set", "run.cache=off", "--set", "run.threads=1", "--out", folder["a"].path,
      ], stoppedWhen: { $0.contains(#/set ([5-9]|\d\d+) of 1000/#) })
    #expect(ended.code == 130, "\(ended.errorOutput)")
    #expect(ended.text.contains(#/Stopped after \d+ of 1000 sets; the intervals/#), "\(ended.text)")
    let record = try RunFiles(folder: folder["a"]).record
    let done = try record.number("ensemble.done")
    #expect((4..<1_000).contains(done))
    #expect(try record.number("demand.curve.batches") > 0)
  }

  @Test(
    "--ensemble is refused where it has no meaning",
    arguments: [
      ["demand", "--ensemble", "3"], ["demand", "--ensemble", "8", "--export", "csv"],
      ["demand", "--ensemble", "8", "--shard", "1/2"], ["plan", "--ensemble", "8", "--fleet"],
      ["plan", "--ensemble", "8", "--target", "acme.yaml"],
    ])
  func refusedEnsemble(words: [String]) async throws {
    let ended = await flotilla(words.prefix(1) + Self.small + words.dropFirst())
    #expect(ended.code == 2 && ended.errorOutput.contains("--ensemble"), "\(ended.errorOutput)")
  }

  @Test("errors in prices and curves are reported with their line, before a run")
  func diagnostics() async throws {
    let folder = try TemporaryFolder()
    let prices = folder["prices.yaml"]
    try "spare: many\n".write(to: prices, atomically: true, encoding: .utf8)
    let ended = await flotilla(
      ["plan"] + Self.small + ["--capacity", "10", "--prices", prices.path])
    #expect(ended.code == 65)
    #expect(ended.errorOutput.contains("prices.yaml:1:"))
    let curve = folder["curve.csv"]
    try "cores,batches\n1,1000\n2,lots\n".write(to: curve, atomically: true, encoding: .utf8)
    let bent = await flotilla(["plan"] + Self.small + ["--curve", curve.path])
    #expect(bent.code == 65)
    #expect(bent.errorOutput.contains("curve.csv:3"))
    // As saved by a spreadsheet.
    try "\u{FEFF}cores,batches\r\n1,1000\r\n2,1900\r\n4,x\r\n"
      .write(to: curve, atomically: true, encoding: .utf8)
    let saved = await flotilla(["plan"] + Self.small + ["--curve", curve.path])
    #expect(saved.errorOutput.contains("curve.csv:4: '4,x' is not a pair of positive numbers"))
    let twice = await flotilla(
      ["plan"] + Self.small + ["--curve", curve.path, "--capacity", "10"])
    #expect(twice.code == 2)
  }

  @Test("an unusable store, or one with data, is rejected in one line")
  func stores() async throws {
    let folder = try TemporaryFolder()
    for (more, code, text) in [
      (["--store", "mysql"], 2, "one of sqlite, postgresql, postgresql://…"),
      (["--store", "sqlite", "--capacity", "10"], 2, "--store cannot be combined with --capacity"),
      (["--store", "postgresql://me@127.0.0.1:1/x", "--quick"], 73, "cannot be reached"),
    ] as [([String], Int32, String)] {
      let ended = await flotilla(
        ["plan"] + Self.small + more + ["--out", folder["\(code)"].path])
      #expect(ended.code == code && ended.errorOutput.contains(text), "\(ended.errorOutput)")
    }
  }

  @Test("a dry run prints the simulated phones and the duration of the measurement")
  func dryRun() async throws {
    let ended = await flotilla(["plan"] + Self.small + ["--quick", "--dry-run"])
    #expect(ended.code == 0, "\(ended.errorOutput)")
    #expect(ended.text.contains("Would simulate 60 of 60 phones for 1 h"))
    #expect(ended.text.contains("measure a collector for about "))
    let many = await flotilla(["demand", "city", "--phones", "1.5M", "--dry-run"])
    #expect(many.code == 0, "\(many.errorOutput)")
    #expect(many.text.contains("Would simulate 500,000 of 1,500,000 phones for 24 h"))
  }
}
