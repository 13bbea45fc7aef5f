import Core
import Figures
import Fleet
import Foundation
import Scenarios
import TestSupport
import Testing
@testable import Run
@testable import RunSupport

@Suite("A simulation forked at an instant", .quick)
struct ForkTests {
  private static let library = ScenarioLibrary(folders: ["scenarios"])
  private static let noon = Scenario.standard(phones: 1).start + .minutes(75)

  /// Two hours with many pushes, some delayed by the rate.
  private static func plan(
    threads: Int = 2, _ change: (inout Scenario) -> Void = { _ in }
  ) -> RunPlan {
    RunPlan.twoHours(threads: threads) {
      $0.push.scheduler = .adaptive
      $0.push.silentAfter = .minutes(20)
      $0.push.spacing = .minutes(15)
      $0.push.rate = Rate(perSecond: 1.0 / 20)
      change(&$0)
    }
  }

  private static func run(
    _ plan: RunPlan, from life: ForkedLife? = nil, to checkpoint: Checkpoint? = nil
  ) -> RunOutcome {
    var simulation = Simulation(plan)
    (simulation.fork, simulation.checkpoint) = (life, checkpoint)
    return simulation.run(progress: { _ in }, shouldStop: { false })
  }

  /// Simulates a plan and saves it at an instant.
  private static func kept(
    _ folder: CacheFolder, _ plan: RunPlan, at instant: SimInstant = noon
  ) throws -> (path: String, outcome: RunOutcome) {
    try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
    let path = folder.url.appending(path: "noon.life").path
    let checkpoint = try Checkpoint(path, at: instant, of: plan, program: "a")
    return (path, run(plan, to: checkpoint))
  }

  /// Continues from a checkpoint.
  private static func forked(
    _ path: String, threads: Int = 2, _ changes: [ScenarioChange] = []
  ) throws -> RunOutcome {
    let fork = try Fork(path, program: "a", from: library)
    let plan = RunPlan.test(try fork.scenario(with: changes, from: library), threads: threads)
    let life = try fork.life(plan)
    return run(plan, from: life)
  }

  @Test("ends like the uninterrupted simulation, with any server and number of threads")
  func sameDigest() throws {
    let changes: [(inout Scenario) -> Void] = [
      { _ in }, { $0.push.scheduler = .fixed }, { $0.push.scheduler = .none },
      {
        $0.push.rate = Rate(perSecond: 1_000)
        $0.faults = [
          .outage(.serverOutage, at: Self.noon - .minutes(5), lasts: .minutes(10)),
          .outage(.networkOutage, at: Self.noon - .minutes(5), lasts: .minutes(10)),
        ]
      },
    ]
    for (number, change) in changes.enumerated() {
      let folder = CacheFolder()
      let lived = Self.run(Self.plan(change))
      let (path, outcome) = try Self.kept(folder, Self.plan(change))
      // Saving a fleet changes nothing.
      #expect(try outcome.recordText() == lived.recordText())
      guard case .kept(let sentence) = outcome.checkpoint else {
        Issue.record("case \(number): \(String(describing: outcome.checkpoint))")
        continue
      }
      #expect(sentence.contains("saved: \(path)"))
      for threads in [1, 3] {
        let fork = try Self.forked(path, threads: threads)
        #expect(fork.record.digest == lived.record.digest, "case \(number), \(threads) threads")
        #expect(fork.record.verdict != .loss, "case \(number): \(fork.record.reasons)")
      }
    }
  }

  @Test("counts what happens after the instant, and nothing from before it")
  func figures() throws {
    let folder = CacheFolder()
    let (path, whole) = try Self.kept(folder, Self.plan())
    let fork = try Self.forked(path)
    let until = Self.run(Self.plan { $0.duration = .minutes(75) })
    let (all, first, rest) = try (
      #require(whole.account).metrics, #require(until.account).metrics,
      #require(fork.account).metrics
    )
    #expect(all[.uploadsStarted] == first[.uploadsStarted] + rest[.uploadsStarted])
    #expect(all[.wakes] == first[.wakes] + rest[.wakes])
    #expect(
      all[.fixesGenerated] == first[.fixesGenerated] + rest[.fixesGenerated] - rest[.fixesCarried])
    #expect(
      all.sources
        == {
          var sum = first.sources
          sum.merge(rest.sources)
          return sum
        }())
    #expect(
      all.energy
        == {
          var sum = first
          sum.merge(rest)
          return sum.energy
        }())
    let pushes = (whole.record.wake.requested, fork.record.wake.requested)
    #expect(pushes.1 > 0 && pushes.1 < pushes.0)
    #expect(fork.record.phases.ramp == 75 * 60)
    #expect(fork.timeline.count == 45)
    #expect(
      fork.timeline.map(\.offeredPerSecond) == whole.timeline.suffix(45).map(\.offeredPerSecond))
    #expect(fork.log.contains { $0.contains("continues from \(path)") })
  }

  @Test("takes other settings of policies and pushes from the instant on")
  func changes() throws {
    let folder = CacheFolder()
    let (path, whole) = try Self.kept(folder, Self.plan())
    let without = try Self.forked(path, ["push.scheduler=none"])
    #expect(without.record.wake.requested == 0)
    #expect(without.record.digest.world == whole.record.digest.world)
    #expect(without.record.digest.behaviour != whole.record.digest.behaviour)
    #expect(without.record.verdict != .loss)
    let same = try Self.forked(path)
    let often = try Self.forked(path, ["push.sweep=30s", "push.rate=100/s"])
    #expect(often.record.wake.requested != same.record.wake.requested)
    #expect(often.record.digest.world == whole.record.digest.world)
    let other = try Self.forked(path, ["fleet.cohorts[0].policy=motion-gated"])
    #expect(try #require(other.account).metrics[.settingsTaken] > 0)
    #expect(other.record.digest.world == whole.record.digest.world)
    #expect(other.record.digest.behaviour != whole.record.digest.behaviour)
    #expect(other.record.verdict != .loss, "\(other.record.reasons)")
  }

  @Test("refuses by name changes that the simulated past does not allow")
  func refusals() throws {
    let folder = CacheFolder()
    let (path, _) = try Self.kept(folder, Self.plan { $0.fleet.phones = 20 })
    let fork = try Fork(path, program: "a", from: Self.library)
    let refused: [ScenarioChange] = [
      "seed=7", "duration=3h", "warmStart=1h", "start=2026-03-03T07:00", "city.radius=5km",
      "push.phone.runTime=20s", "push.request.type=alert", "encoding=rows", "sensors.cell=300m",
      ScenarioChange("fleet.phones=300", option: "--phones 300"),
    ]
    for change in refused {
      let error = #expect(throws: ForkError.self) {
        try fork.scenario(with: ["push.sweep=2min", change], from: Self.library)
      }
      let words = change.option ?? "--set \(change.text)"
      #expect(error == .tooLate(words), "\(words): \(String(describing: error))")
    }
    let wrong = #expect(throws: ForkError.self) {
      try fork.scenario(with: ["push.swep=2min"], from: Self.library)
    }
    #expect("\(try #require(wrong))".contains("sweep"))
    #expect(throws: Never.self) {
      try fork.scenario(
        with: ["push.provider.leastSpacing=1min", "collector.groupDelay=5ms", "slo.lost=1"],
        from: Self.library)
    }
  }

  @Test("never accepts a file that is damaged, cut short, foreign or of another build")
  func notBelieved() throws {
    let folder = CacheFolder()
    let (path, _) = try Self.kept(folder, Self.plan { $0.fleet.phones = 12 })
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    /// Opens the file and continues from it, without simulating.
    func open(_ program: String = "a") throws {
      let fork = try Fork(path, program: program, from: Self.library)
      _ = try fork.life(.test(try fork.scenario(with: [], from: Self.library)))
    }
    try open()
    #expect(throws: LifeFileError.self) { try open("b") }
    for place in stride(from: 0, to: whole.count, by: max(1, whole.count / 60)) {
      var torn = whole
      torn[place] ^= 1 << UInt8(place % 8)
      try torn.write(to: URL(fileURLWithPath: path))
      #expect(throws: LifeFileError.self, "byte \(place)") { try open() }
      try whole.prefix(place).write(to: URL(fileURLWithPath: path))
      #expect(throws: LifeFileError.self, "cut at \(place)") { try open() }
    }
    // A warm start of the cache is no checkpoint.
    var cached = Self.plan { $0.fleet.phones = 12 }
    cached.cache = folder.cache()
    try FileManager.default.removeItem(atPath: path)
    _ = Self.run(cached)
    let name = try #require(folder.names.first)
    try FileManager.default.copyItem(atPath: folder.url.appending(path: name).path, toPath: path)
    let error = #expect(throws: LifeFileError.self) { try open() }
    #expect("\(try #require(error))".contains("warm start"))
    // Another run's file is not overwritten.
    try Data("a letter".utf8).write(to: URL(fileURLWithPath: path))
    #expect(throws: LifeFileError.self) {
      try Checkpoint(path, at: Self.noon, of: cached, program: "a")
    }
  }
}
