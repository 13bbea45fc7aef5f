internal import Figures
package import Fleet
internal import Phone
package import Scenarios
package import ServerLogic
package import SimulationCore
package import Telemetry

/// A small fleet that has lived a scenario in virtual time, with every life written down.
///
/// A class, as nothing of it changes and it has a whole scenario: who asks once a fix copies none.
package final class TracedFleet {
  /// Is the scenario as loaded, with the seed and the settings applied.
  package let scenario: Scenario
  /// Is the fleet after warm start, live time and drain.
  package let fleet: PhoneFleet
  /// By phone number.
  package let traces: [PhoneTrace]
  /// Holds every push requested or withheld in the measured time, by sweep and then by phone.
  package let occasions: [WakeOccasion]
  /// Holds what each phone's tracker had used since the measured time began, in microjoules, at its
  /// start and after each step; empty where no steps were asked for.
  package let meters: [[Int64]]
  /// Holds every phone's charge at the same instants; empty where no steps were asked for.
  package let charges: [[PhoneCharge]]
  /// Is the step of `meters`; nil where they were not read.
  package let metersEvery: SimDuration?
  /// Kept, as every entry of every trace is compared with them.
  private let measureStart: SimInstant
  private let measureEnd: SimInstant

  /// Lives the warm start and the whole duration.
  ///
  /// - Parameters:
  ///   - name: a file under `scenarios/calibration`, such as `calibration/hybrid`.
  ///   - settings: `path=value`, as for `--set`.
  ///   - step: how often the phones' energy meters and charges are read; nil: never.
  package init(
    _ bench: CalibrationBench, _ name: String, seed: UInt64, settings: [String] = [],
    isTraced: Bool = true, metersEvery step: SimDuration? = nil
  ) throws {
    metersEvery = step
    let changes = ["seed=\(seed)"] + settings
    scenario = try bench.library.load(name, settings: changes.map { ScenarioChange($0) })
    traces =
      isTraced
      ? (0..<scenario.fleet.phones).map { PhoneTrace(phone: PhoneID(rawValue: UInt32($0))) } : []
    fleet = PhoneFleet(scenario, threads: bench.threads, tracing: traces)
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

  /// What happened to a phone in the measured time.
  package func measured(_ trace: PhoneTrace) -> [(at: SimInstant, what: TraceEvent)] {
    trace.entries.filter { isMeasured($0.at) }
  }

  /// Returns whether an instant is in the measured time.
  func isMeasured(_ at: SimInstant) -> Bool {
    measureStart <= at && at < measureEnd
  }

  /// Returns the mean power that a phone of a cohort drew for all but its tracker over the measured
  /// time, in watts: idling, screen and other apps.
  func restWatts(_ cohort: Int) -> Double {
    let metrics = fleet.metrics()
    let bill = fleet.context.prices(cohort).bill(metrics.energy.cohorts[cohort])
    let others = bill.total - bill.tracking + metrics.batteries[cohort].others
    let starts = fleet.context.cohortStarts
    let phones = starts[cohort + 1] - starts[cohort]
    return Double(others) / 1e6 / scenario.duration.seconds / Double(max(1, phones))
  }

  /// Returns the location permission that the phone's owner settles on, by phone number.
  package func authorization(_ phone: Int) -> Authorization {
    fleet.context.habits(fleet.context.cohort(of: phone)).authorization(
      of: PhoneID(rawValue: UInt32(phone)))
  }

  /// OS, significant-change and energy profile of the first cohort.
  package var profile: String {
    let cohort = scenario.fleet.cohorts[0]
    return "\(cohort.os.name), \(cohort.significantChange.name), \(cohort.energy.name)"
  }
}
