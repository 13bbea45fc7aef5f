internal import Core
internal import TestSupport
internal import Testing
@testable internal import Capacity

@Suite("Separate capacity of collectors and database", .quick)
struct DatabaseCapacityTests {
  private static let carried = Ratio(value: 12_000, low: 10_000, high: 14_000)

  private static func trial(
    _ load: Double, collector: Double, database: Double?, isHigh: Bool = false
  ) -> TrialRecord {
    var trial = TrialRecord(kind: .full, search: 1, load: load, seconds: 10)
    trial.acknowledgedPerSecond = load
    trial.collectorCores = collector
    trial.databaseCores = database
    trial.isHigh = isHigh
    return trial
  }

  @Test("each has its own core, split by the processor time of both on the shared core")
  func divided() throws {
    let trials = [
      Self.trial(1_000, collector: 0.09, database: 0.01),
      Self.trial(10_000, collector: 0.2, database: 0.6),
      Self.trial(15_000, collector: 0.5, database: 0.5, isHigh: true),
    ]
    let (database, collector) = DatabaseCapacity.divided(Self.carried, trials)
    #expect(abs(collector.low - 40_000) < 1e-6 && abs(collector.high - 56_000) < 1e-6)
    let core = try #require(database.perCore)
    #expect(abs(core.low - 10_000 * 0.8 / 0.6) < 1e-6)
    // Together they are one core again.
    #expect(abs(1 / core.low + 1 / collector.low - 1 / Self.carried.low) < 1e-12)
    #expect(abs((database.cpuSecondsPerBatch ?? 0) - 60e-6) < 1e-12)
    #expect(abs((database.collectorCpuSecondsPerBatch ?? 0) - 20e-6) < 1e-12)
  }

  @Test("of a remote database only its load is known")
  func elsewhere() {
    let trials = [Self.trial(10_000, collector: 0.2, database: nil)]
    let (database, collector) = DatabaseCapacity.divided(Self.carried, trials)
    #expect(collector == Self.carried && database.carried == Self.carried)
    #expect(database.perCore == nil && database.cpuSecondsPerBatch == nil)
    #expect(database.collectorCpuSecondsPerBatch != nil)
    #expect(DatabaseCapacity.divided(Self.carried, []).database.perCore == nil)
  }

  @Test("a load that failed reports the processor time of both")
  func firstBreak() {
    let high = Self.trial(15_000, collector: 0.25, database: 0.5, isHigh: true)
    #expect(FirstBreak([high], above: 10_000)?.cores == 0.75)
  }
}
