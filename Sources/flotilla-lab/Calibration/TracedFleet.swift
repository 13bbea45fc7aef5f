package import Core
package import Fleet
internal import Phone
package import Scenarios
package import ServerLogic

/// A small fleet after a simulation, with all traces, as a class so that access copies nothing.
package final class TracedFleet {
  package let scenario: Scenario
  package let fleet: PhoneFleet
  package let traces: [PhoneTrace]
  package let occasions: [WakeOccasion]
  /// Each tracker's use in microjoules since `measureStart`, at its start and after each step.
  package let meters: [[Int64]]
  package let charges: [[PhoneCharge]]
  package let metersEvery: SimDuration?
  /// The power of each phone's screen and other apps while the owner is awake, in milliwatts.
  let usageMilliwatts: [Int]
  /// The start of the measured part, cached because every entry of every trace is compared with it.
  private let measureStart: SimInstant
  private let measureEnd: SimInstant

  /// - Parameter name: The name of a file under `scenarios`.
  package convenience init(
    _ bench: CalibrationBench, _ name: String, seed: UInt64, settings: [String] = [],
    traced: PhoneTrace.Scope? = .everything
  ) throws {
    let changes = ["seed=\(seed)"] + settings
    self.init(
      try bench.library.load(name, settings: changes.map { ScenarioChange($0) }),
      threads: bench.threads, traced: traced)
  }

  /// - Parameter step: The interval at which energy meters and charges are read; nil for none.
  package init(
    _ scenario: Scenario, threads: Int, traced: PhoneTrace.Scope?,
    metersEvery step: SimDuration? = nil
  ) {
    metersEvery = step
    self.scenario = scenario
    traces =
      traced.map { scope in
        (0..<scenario.fleet.phones).map { PhoneTrace(phone: PhoneID(rawValue: UInt32($0)), scope) }
      } ?? []
    fleet = PhoneFleet(scenario, threads: threads, tracing: traces)
    (measureStart, measureEnd) = (scenario.measureStart, scenario.measureEnd)
    let birth = scenario.start - scenario.warmStart
    var warm = VirtualTime(fleet: fleet, backend: VirtualTime.newBackend(for: fleet, at: birth))
    warm.advance(until: scenario.start)
    let snapshots = fleet.startCounting(after: warm.backend, answers: .inProcess)
    var backend = Backend(
      phones: scenario.fleet.phones, seed: scenario.seed, push: scenario.push.terms,
      hashKey: fleet.context.hashKey)
    for snapshot in snapshots { _ = backend.restore(snapshot, at: scenario.start) }
    backend.openMeasure(at: scenario.measureStart)
    var time = VirtualTime(fleet: fleet, backend: backend)
    var readings = Readings()
    if let step {
      readings = Self.readings(of: fleet, &time, every: step, until: scenario.measureEnd)
    }
    (meters, charges) = (readings.meters, readings.charges)
    let end = time.advance(until: scenario.measureEnd)
    time.drain()
    fleet.inOrder { $0.closePushes(at: end) }
    time.backend.closeMeasure(at: end)
    occasions = time.backend.occasions
    usageMilliwatts = fleet.charges().map(\.usageMilliwatts)
  }

  private struct Readings {
    var meters: [[Int64]] = []
    var charges: [[PhoneCharge]] = []
  }

  private static func readings(
    of fleet: PhoneFleet, _ time: inout VirtualTime, every step: SimDuration, until end: SimInstant
  ) -> Readings {
    var readings = Readings(
      meters: [[Int64](repeating: 0, count: fleet.phones.count)], charges: [fleet.charges()])
    var next = fleet.horizon + step
    while next <= end {
      time.advance(until: next)
      fleet.inOrder { $0.closeEnergy() }
      readings.meters.append(fleet.energies().map(\.tracking))
      readings.charges.append(fleet.charges())
      next = next + step
    }
    return readings
  }

  package func measured(_ trace: PhoneTrace) -> [(at: SimInstant, what: TraceEvent)] {
    trace.entries.filter { isMeasured($0.at) }
  }

  func isMeasured(_ at: SimInstant) -> Bool {
    measureStart <= at && at < measureEnd
  }

  /// Returns the mean power of a cohort's phone without its tracker, in watts.
  func restWatts(_ cohort: Int) -> Double {
    let metrics = fleet.metrics()
    let bill = fleet.context.prices(cohort).bill(metrics.energy.cohorts[cohort])
    let others = bill.total - bill.tracking + metrics.batteries[cohort].others
    let starts = fleet.context.cohortStarts
    let phones = starts[cohort + 1] - starts[cohort]
    return Double(others) / 1e6 / scenario.duration.seconds / Double(max(1, phones))
  }

  /// Returns the mean power of the screen while it shows the tracker's app, in watts.
  func ownScreenWatts(_ cohort: Int) -> Double {
    let bill = fleet.context.prices(cohort).bill(fleet.metrics().energy.cohorts[cohort])
    let starts = fleet.context.cohortStarts
    return Double(bill[.screen]) / 1e6 / scenario.duration.seconds
      / Double(max(1, starts[cohort + 1] - starts[cohort]))
  }

  package var profile: String {
    let cohort = scenario.fleet.cohorts[0]
    return "\(cohort.os.name), \(cohort.significantChange.name), \(cohort.energy.name)"
  }
}
