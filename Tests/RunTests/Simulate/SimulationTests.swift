import Core
import Figures
import Fleet
import Foundation
import TestSupport
import Testing
import Uploads

@testable import Run
@testable import Scenarios
@testable import RunSupport

@Suite("A simulation's record", .quick)
struct SimulationTests {
  func run(_ plan: RunPlan) -> RunOutcome {
    Simulation(plan).run(progress: { _ in }, shouldStop: { false })
  }

  @Test("is the same twice, byte for byte, except command, machine and timing")
  func deterministic() throws {
    var a = run(RunPlan.twoHours()).record
    var b = run(RunPlan.twoHours()).record
    a.machine = RunRecord.Machine()
    b.machine = RunRecord.Machine()
    #expect(try a.json() == b.json())
  }

  @Test("has an exact ledger on both sides, and nothing lost")
  func ledger() {
    let record = run(RunPlan.twoHours()).record
    #expect(record.ledger.checkAfterDrain() == [])
    #expect(record.ledger.fixes.lost == 0)
    #expect(record.ledger.fixes.acknowledged > 100)
    #expect(record.wake.outcomes.values.reduce(0, +) == record.wake.requested)
  }

  @Test("costs the radio more in rows, and changes no phone's day and no ledger")
  func encodings() {
    func run(_ encoding: BatchEncoding) -> RunRecord {
      self.run(
        RunPlan.twoHours {
          $0.encoding = encoding
          // BT2, SP7, SP11: Larger uploads end later and drain the battery, which may stop pushes.
          $0.fleet.phone.battery.lowPowerWhenLow = 0
          ($0.push.phone.lowBatteryFactor, $0.push.phone.unfinishedCost) = (1, 0)
        }
      ).record
    }
    let packed = run(RunPlan.twoHours().scenario.encoding)
    var joules = packed.energy.joules.values.reduce(0, +)
    for encoding in [BatchEncoding.columns, .rowsZstd, .rows] {
      let record = run(encoding)
      #expect(record.ledger == packed.ledger && record.digest.world == packed.digest.world)
      let more = record.energy.joules.values.reduce(0, +)
      #expect(more > joules, "\(encoding): \(more)")
      joules = more
    }
  }

  @Test("the last row of the timeline has the record's freshness")
  func freshness() throws {
    let outcome = run(RunPlan.twoHours())
    let (row, record) = (try #require(outcome.timeline.last), outcome.record.freshness)
    for (row, record) in [
      (row.freshInstalled, record.installed.share), (row.freshReachable, record.reachable.share),
      (row.freshMoving, record.moving.share),
    ] {
      let (row, record) = (try #require(row), try #require(record))
      #expect(abs(row - record) < 1e-9 && record < 0.99)
    }
  }

  @Test("three processes with a range of the phones each have the accounts of one")
  func ranges() throws {
    let whole = run(RunPlan.twoHours())
    let parts = (0..<3).map { number in
      var plan = RunPlan.twoHours()
      plan.shard = RunPart(SharePlace(number: number, of: 3))
      return run(plan)
    }
    let accounts = try parts.map { try #require($0.account) }
    #expect(try FleetAccount.merged(accounts) == whole.account)
    var server = ServerAccount()
    server.isInProcess = true
    for part in parts { server.merge(try #require(part.server)) }
    #expect(server == whole.server)
    let sides = reconcile(accounts, with: server)
    #expect(sides.violations == [] && sides.ledger == whole.record.ledger)
  }

  @Test("stopped early is interrupted, and says where")
  func interrupted() {
    var windows = 0
    let outcome = Simulation(RunPlan.twoHours()).run(
      progress: { _ in },
      shouldStop: {
        windows += 1
        return windows > 420
      })
    #expect(outcome.record.verdict == .interrupted)
    #expect(outcome.record.reasons.first?.contains("2026-03-02T") == true)
    #expect(outcome.record.ledger.check() == [])
  }

  @Test("a missed SLO is slo-missed, with the figure in the reason")
  func promises() {
    let record = run(
      RunPlan.twoHours {
        $0.slo.freshness = ServiceLevels.Share(of: .reachable, within: .minutes(1), share: 0.999)
      }
    ).record
    #expect(record.verdict == .sloMissed)
    #expect(record.slo.contains { $0.name == "freshness" && !$0.pass })
  }

  @Test("a run's folder can be read back")
  func folder() throws {
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("flotilla-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let outcome = run(RunPlan.twoHours())
    let folder = try RunFolder(path)
    try folder.write(outcome)
    let read = try RunRecord.read(from: folder.url.appendingPathComponent("run.json"))
    #expect(read == outcome.record)
    let timeline = try String(contentsOfFile: folder.path("timeline.csv"), encoding: .utf8)
    #expect(timeline.split(separator: "\n").count == outcome.timeline.count + 1)
    #expect(outcome.timeline.count == 120)
  }

  @Test("a run into an older run's folder removes the old files")
  func folderTwice() throws {
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("flotilla-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    do {
      let first = try RunFolder(path)
      try Data("old".utf8).write(to: first.url.appendingPathComponent("collector.sqlite"))
      try Data("mine".utf8).write(to: first.url.appendingPathComponent("notes.txt"))
    }
    let second = try RunFolder(path)
    #expect(!FileManager.default.fileExists(atPath: second.path("collector.sqlite")))
    #expect(FileManager.default.fileExists(atPath: second.path("notes.txt")))
  }

  @Test("a run into the folder of a running one is refused, and removes nothing")
  func folderInUse() throws {
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("flotilla-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let first = try RunFolder(path)
    try first.write("kept", to: "run.json")
    #expect(throws: RunFolderError.inUse(path: path)) { try RunFolder(path) }
    #expect(try String(contentsOfFile: first.path("run.json"), encoding: .utf8) == "kept")
  }

  @Test("a folder that is a file is refused as such")
  func fileAsFolder() throws {
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("flotilla-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data().write(to: URL(fileURLWithPath: path))
    #expect(throws: RunFolderError.cannotMake(path: path, why: "it is a file")) {
      try RunFolder(path)
    }
  }

  @Test("a folder below a file is refused with the path in the message")
  func badFolder() {
    #expect(throws: RunFolderError.self) { try RunFolder("/etc/hostname/run") }
  }

  @Test("simulated time is written in the city's local time")
  func clock() {
    let scenario = Scenario.standard(phones: 1)
    #expect(ClockText.text(scenario.start, scenario.clock) == "2026-03-02T07:30:00")
    let leap = SimInstant(microseconds: 1_709_164_800_000_000)
    #expect(
      ClockText.text(leap, CivilClock(utcOffset: .hours(-5))) == "2024-02-28T19:00:00")
  }
}
