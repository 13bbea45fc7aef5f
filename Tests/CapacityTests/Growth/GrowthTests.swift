import Core
import Figures
import Foundation
import Scenarios
import TestSupport
import Testing
@testable import Capacity

@Suite("Predicted growth", .quick)
struct GrowthTests {
  /// Two batches a second of a hundred phones; planned utilisation is half of an instance.
  private static func input(_ change: (inout GrowthInput) -> Void = { _ in }) -> GrowthInput {
    var prices = PriceList.unpriced
    prices.instance.name = "half"
    (prices.instance.cores, prices.instance.memoryBytes) = (4, 16e9)
    prices.instance.networkBits = 1e9
    (prices.headroom, prices.spare) = (0.5, 0)
    var capacity = CapacityRecord(source: .measured, perCore: Ratio(value: 9, low: 5e3, high: 9e3))
    capacity.storedBytesPerBatch = 250
    var input = GrowthInput(
      demand: SizingTests.demand, bytesPerPhone: 800, bytesPerRank: 1e8, livingSeconds: 2e-6,
      sendingSeconds: 50e-6, reduceSeconds: 1e-4, capacity: capacity, prices: prices)
    change(&input)
    return input
  }

  @Test("ranks follow from the scarcest resource and the parts")
  func byHand() {
    let growth = GrowthRecord(Self.input(), phones: [1e6, 1e8])
    let (small, large) = (growth.rows[0], growth.rows[1])
    // 0.02 batches a second per phone.
    #expect(abs(small.batchesPerSecond - 20_000) < 1e-6)
    // 2 µs a second per phone and 50 µs per batch; planned with two cores of an instance.
    #expect(abs((small.rankCores ?? 0) - 3) < 1e-9 && small.ranksByResource["cpu"] == 2)
    // 800 MB of phones in 8 GB less 100 MB.
    #expect(small.ranksByResource["memory"] == 1)
    // 200 bytes plus 480, in half a gigabit.
    #expect(abs(small.networkOutBitsPerSecond - 20_000 * 680 * 8) < 1)
    #expect(small.ranksByResource["network"] == 1)
    #expect(small.ranks == 2 && small.ranksLimitedBy == "cpu")
    #expect(large.ranksByResource == ["cpu": 150, "memory": 11, "network": 22, "connections": 29])
    #expect(large.ranks == 150 && abs(large.reduceCores - 0.015) < 1e-9)
    #expect(abs(large.rankMemoryBytes - (8e10 + 150 * 1e8)) < 1)
    // Two million batches a second, at least 5,000 per core, half of four cores.
    #expect(large.collectors == 200)
    #expect(abs(large.storageBytesPerDay - 2e6 * 86_400 * 250 * 2) < 1e9)
  }

  @Test("a figure without a measurement is left open and named, and the others are predicted")
  func open() {
    let growth = GrowthRecord(
      Self.input {
        $0.sendingSeconds = nil
        $0.capacity = CapacityRecord(
          source: .given, perCore: Ratio(value: 5e3, low: 5e3, high: 5e3))
      }, phones: [1e8])
    let row = growth.rows[0]
    #expect(row.rankCores == nil && row.ranksByResource["cpu"] == nil)
    #expect(row.ranks == 29 && row.ranksLimitedBy == "connections")
    #expect(row.databases == nil && row.collectors == 200)
    #expect(growth.notMeasured.contains { $0.contains("--capacity") })
    #expect(growth.notMeasured.contains { $0.contains("--store postgresql") })
    let core = growth.parts.first { $0.name == "a core of collectors" }
    #expect(core?.basis == .given)
    #expect(growth.parts.first { $0.name == "sending a batch" }?.value == nil)
  }

  @Test("databases are sized like the measured one, in addition to the collectors")
  func databases() {
    let growth = GrowthRecord(
      Self.input { input in
        var trial = TrialRecord(kind: .full, search: 1, load: 9_000, seconds: 4)
        trial.acknowledgedPerSecond = 9_000
        (trial.collectorCores, trial.databaseCores) = (0.3, 0.6)
        trial.generatorCores = 0.45
        let parts = DatabaseCapacity.divided(Ratio(value: 9e3, low: 9e3, high: 9e3), [trial])
        (input.capacity.database, input.capacity.perCore) = (parts.database, parts.collector)
        input.capacity.trials = [trial]
        input.sendingSeconds = input.capacity.sendingSecondsPerBatch
      }, phones: [1e8])
    let row = growth.rows[0]
    // Two million, half of 9,000 each.
    #expect(row.databases == 445)
    #expect(row.databaseCores.map { $0 > 0 } == true)
    // 450 ms for 9,000: again 50 µs.
    #expect(row.rankCores.map { abs($0 - 300) < 1e-6 } == true)
  }

  @Test("every number names its source, and the record reads back")
  func sources() throws {
    let growth = GrowthRecord(Self.input(), phones: [1e7])
    #expect(growth.parts.count == 15 && growth.parts.allSatisfy { !$0.source.isEmpty })
    var record = RunRecord()
    record.plan = PlanRecord(demand: SizingTests.demand, growth: growth)
    let read = try RunRecord(json: record.json())
    #expect(read.plan?.growth == growth && read.plan?.size == nil)
  }
}
