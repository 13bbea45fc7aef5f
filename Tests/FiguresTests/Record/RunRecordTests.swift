@testable import Core
import Foundation
import TestSupport
import Testing
@testable import Figures

@Suite("Run record", .quick)
struct RunRecordTests {
  /// An account in which every fix is accounted for.
  static func balanced() -> Account {
    var account = Account()
    account.generated = 100
    account.carried = 8
    account.filtered = 2
    account.evict(3, .capacity)
    account.evict(1, .age)
    account.refuse(1, status: "INVALID_ARGUMENT")
    account.outbox = 3
    account.acknowledged = 90
    account.received = 93
    account.distinct = 90
    account.duplicate = 2
    account.reject(1, reason: "malformed")
    return account
  }

  /// A push that was answered after a minute, and one to an app that was force-quit.
  static func pushes() -> WakeLedger {
    let end = SimInstant(microseconds: 0) + .hours(24)
    var ledger = WakeLedger(within: .minutes(10), windows: [], until: end)
    for (phone, outcome) in [(1, WakeOutcome.caused), (2, .forceQuit)] {
      var push = WakePush(phone: UInt32(phone), requestedAt: end - .hours(1))
      push.outcome = outcome
      if outcome == .caused {
        (push.answeredAfter, push.causedAfter) = (.minutes(1), .minutes(1))
      }
      ledger.add(push)
    }
    return ledger
  }

  @Test("the outcomes of Android have keys only where they occurred")
  func outcomesOfAndroid() {
    func keys(_ outcome: WakeOutcome) -> Set<String> {
      let end = SimInstant(microseconds: 0) + .hours(24)
      var ledger = WakeLedger(within: .minutes(10), windows: [], until: end)
      var push = WakePush(phone: 1, requestedAt: end - .hours(1))
      push.outcome = outcome
      ledger.add(push)
      let wake = RunRecord.Wake(ledger, names: (["all"], ["os"], []), seed: 1)
      return Set(wake.outcomes.keys)
    }
    let iOS = keys(.caused)
    #expect(iOS == Set(WakeOutcome.allCases.filter { !$0.isOfAndroid }.map(\.rawValue)))
    #expect(keys(.doze) == iOS.union(["doze"]))
  }

  static func sample() -> RunRecord {
    var record = RunRecord()
    record.scenario.name = "city"
    record.scenario.question = "Can one collector serve a city's morning?"
    record.scenario.phones = 5_000
    record.scenario.speed = 60
    record.seed = 42
    record.digest.world = RunRecord.Digest.text(0xABC)
    record.digest.behaviour = RunRecord.Digest.text(1)
    record.ledger.fixes = balanced()
    record.ledger.batches = balanced()
    var latency = LatencyHistograms()
    for i in 1...1_000 {
      latency.record(
        BatchTiming(generatorLag: 50, connect: 300, hold: 0, service: 1_000 + Int64(i)))
    }
    for _ in 0..<20 {
      latency.recordFailure(
        BatchTiming(generatorLag: 50, connect: 0, hold: 0, service: 0), deadline: 30_000_000)
    }
    record.latency = RunRecord.Latency(latency)
    var ages = AgeIntegral(thresholds: [.minutes(30)])
    ages.add(from: .zero, to: .minutes(60))
    record.freshness.withinSeconds = 1_800
    record.freshness.reachable = .init(ages, threshold: .minutes(30), located: 0.9)
    record.stale = ["offline": 12, "server": 0.5]
    record.wake = RunRecord.Wake(
      pushes(), names: (cohorts: ["all"], systems: ["ios17"], types: []), seed: 42)
    record.slo = [.atMost(50_000, nil, name: "responseP99", unit: "µs")]
    let judgement = Judgement(losses: [], invalid: [], interrupted: [], slo: record.slo)
    record.verdict = judgement.verdict
    record.reasons = judgement.reasons
    record.machine.cores = 2
    record.machine.system = "Linux"
    record.machine.memoryBytes = 4 << 30
    for name in ["generator", "collector"] {
      var use = RunRecord.ProcessUse()
      use.cpuSeconds = 31.5
      use.coresUsed = 0.52
      use.peakResidentBytes = 300 << 20
      record.machine.processes[name] = use
    }
    return record
  }

  @Test("top-level keys are the contract's, in sorted order, and read back")
  func keys() throws {
    let record = Self.sample()
    let data = try record.json()
    let object = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
    let keys: Set = [
      "schema", "tool", "command", "scenario", "seed", "digest", "machine", "timing", "phases",
      "offered", "ledger", "throughput", "latency", "freshness", "stale", "wake", "energy",
      "traffic", "errors", "slo", "verdict", "reasons",
    ]
    #expect(Set(object.keys) == keys)
    #expect(try RunRecord(json: data) == record)
    #expect(try record.json() == data)
  }

  @Test("an unknown figure of a run is null, not missing")
  func nulls() throws {
    let data = try Self.sample().json()
    let object = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
    let latency = try #require(object["latency"] as? [String: [String: Any]])
    let response = try #require(latency["response"])
    #expect(response["p99"] is NSNull, "beyond the deadline")
    #expect(response["p999"] is NSNull, "unsupported")
    #expect(response["p50"] is Int && response["count"] as? Int == 1_020)
    #expect(response["censored"] as? Int == 20)
    let freshness = try #require(object["freshness"] as? [String: Any])
    let installed = try #require(freshness["installed"] as? [String: Any])
    #expect(Set(installed.keys) == ["never", "share", "p50", "p95", "p99", "located"])
    #expect(installed["share"] is NSNull)
    let wake = try #require(object["wake"] as? [String: Any])
    #expect(wake["uplift"] is NSNull && wake["answered"] is [String: Any])
    #expect((wake["outcomes"] as? [String: Int])?.count == 20)
    let digest = try #require(object["digest"] as? [String: Any])
    #expect(digest["plan"] as? String == "0000000000000abc")
    #expect(digest["history"] as? String == "0000000000000001")
  }

  @Test("a record on disk reads back; anything else is refused with a sentence")
  func files() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "run.json")
    let record = Self.sample()
    try record.write(to: file)
    #expect(try RunRecord.read(from: file) == record)
    #expect(throws: RunRecordError.self) {
      try RunRecord.read(from: folder.appending(path: "none.json"))
    }
    try Data("{}".utf8).write(to: file)
    #expect(throws: RunRecordError.self) { try RunRecord.read(from: file) }
    var future = record
    future.schema = 99
    try future.write(to: file)
    #expect(throws: RunRecordError.otherSchema(path: file.path, found: 99)) {
      try RunRecord.read(from: file)
    }
  }

  @Test("the summary has verdict and reasons first, then their basis")
  func summary() throws {
    let text = summaryMarkdown(Self.sample())
    let order = [
      "# city: slo-missed", "- responseP99 could not be measured", "## Ledger", "| lost | 0 | 0 |",
      "## Latency", "| response | 1,020 | 20 |", "> 30 s", "| generator lag |", "| service |",
      "## SLOs", "## Freshness", "| reachable | 50.0 % | 90.0 % | 0.0 % |",
      "## Why phones were not fresh", "| offline | 12 | 96.0 % |", "## Silent pushes",
      "| force-quit | 1 | 50.0 % |", "## Machine", "| generator | 31.5 s | 0.52 | 300 MiB |",
    ]
    var rest = Substring(text)
    for part in order {
      let found = try #require(rest.range(of: part), "'\(part)' missing or too late in:\n\(text)")
      rest = rest[found.upperBound...]
    }
    #expect(text == summaryMarkdown(Self.sample()))
  }

  @Test("a timeline row has as many fields as the header, empty if there is no value")
  func timeline() {
    var row = TimelineRow()
    row.wallSeconds = 3
    row.phase = "measure"
    row.responseP99Microseconds = 1_234
    let header = TimelineRow.header.split(separator: ",", omittingEmptySubsequences: false)
    let fields = row.csv.split(separator: ",", omittingEmptySubsequences: false)
    #expect(header.count == fields.count && header.first == "wall_s")
    #expect(fields[0] == "3" && fields[2] == "measure" && fields[6] == "" && fields[7] == "1234")
  }

  @Test("this process has used time and memory, measured from inside and from outside")
  func process() throws {
    let inside = ProcessMetrics.current()
    #expect(inside.cpuMicroseconds > 0 && inside.peakResidentBytes >= inside.residentBytes)
    #if os(Linux)
      let outside = try #require(
        ProcessMetrics.of(pid: ProcessInfo.processInfo.processIdentifier))
      #expect(outside.residentBytes > 1 << 20)
      #expect(abs(outside.cpuMicroseconds - inside.cpuMicroseconds) < 2_000_000)
      #expect(ProcessMetrics.of(pid: -5) == nil)
    #endif
  }
}
