import Capacity
import Core
import Figures
import Scenarios
@testable import Report

/// A plan, made by hand.
enum PlanFixture {
  /// Two hours of two batches a second, of a hundred phones that represent three hundred.
  private static let recorder = {
    var recorder = DemandRecorder(policies: ["hybrid", "continuous"], seconds: 7_200)
    for half in 0..<14_400 {
      let second = Double(half) / 2
      recorder.add(
        second, phone: UInt32(half % 100), policy: half % 2, fixes: 20, bytes: 200,
        open: second...(second + 0.2))
    }
    recorder.addPush(10)
    return recorder
  }()
  private static let demand = DemandRecord(recorder, phones: 300, lived: 100, seed: 1)
  private static let lived = RunFixture.live().record

  /// The plan of a fleet with viewers.
  static var viewed: RunRecord {
    var record = record()
    guard var plan = record.plan else { return record }
    plan.demand.views = ViewDemand(ViewSeries((0..<7_200).map { Double($0 % 4) }))
    plan.size?.peakReads = 3
    record.plan = plan
    return record
  }

  /// The plan for those two hours.
  static func record(_ capacity: CapacityRecord? = measured) -> RunRecord {
    var record = RunRecord()
    record.scenario.name = "town <b>"
    record.scenario.text = "name: town\n"
    record.command = ["flotilla", "plan", "town"]
    record.scenario.start = "2026-03-02T07:30:00"
    record.verdict = .pass
    record.plan = PlanRecord(demand: demand)
    record.freshness = lived.freshness
    record.stale = lived.stale
    record.wake = lived.wake
    record.energy = lived.energy
    guard let capacity else { return record }
    var input = SizingInput(
      demand: demand, perCore: capacity.perCore, prices: .unpriced, delay: 1, bytesStored: 250,
      residentBytes: nil)
    input.database = capacity.database
    var size = SizeRecord(input, seed: 1)
    size.alternatives = [
      SizeRecord.Alternative("continuous", demand, like: input, served: ServedPhones(record))
    ]
    size.storm = StormRecord(recorder.series, instances: size.instances, perInstance: size.perCore)
    record.plan = PlanRecord(demand: demand, capacity: capacity, size: size)
    return record
  }

  static var measured: CapacityRecord {
    var capacity = CapacityRecord(
      source: .measured, perCore: Ratio(value: 1_050, low: 1_000, high: 1_100))
    capacity.lowerBound = 1_000
    capacity.upperBound = 1_045
    capacity.verified = true
    capacity.latencyLimitMicroseconds = 50_000
    for (load, p99) in [(250.0, 3e3), (500, 4e3), (1_000, 2e4), (1_045, 9e4), (2_000, 4e5)] {
      var trial = TrialRecord(kind: .full, search: 1, load: load, seconds: 10)
      trial.p99Microseconds = p99
      trial.p50Microseconds = p99 / 4
      trial.isHigh = load > 1_000
      capacity.trials.append(trial)
    }
    capacity.firstBreak = FirstBreak(capacity.trials, above: 1_000)
    capacity.trials[0].invalid = "generator: send lag p99 4000 µs"
    capacity.lawNote = "not fitted: too few"
    return capacity
  }
}
