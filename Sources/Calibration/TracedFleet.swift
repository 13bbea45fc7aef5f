package import Fleet
internal import Measure
internal import Phone
package import Scenarios
package import ServerLogic
package import SimulationCore
package import Telemetry

/// A small fleet that has lived a scenario in virtual time, with every life written down.
package struct TracedFleet {
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
  /// Is the step of `meters`; nil where they were not read.
  package let metersEvery: SimDuration?

  /// Lives the warm start and the whole duration.
  ///
  /// - Parameters:
  ///   - name: a file under `scenarios/calibration`, such as `calibration/hybrid`.
  ///   - settings: `path=value`, as for `--set`.
  ///   - step: how often the phones' energy meters are read; nil: never.
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
    if let step {
      meters = Self.meters(of: fleet, &time, every: step, until: scenario.measureEnd)
    } else {
      meters = []
    }
    let end = time.advance(until: scenario.measureEnd)
    time.drain()
    fleet.inOrder { $0.closePushes(at: end) }
    time.backend.closeMeasure(at: end)
    occasions = time.backend.occasions
  }

  private static func meters(
    of fleet: PhoneFleet, _ time: inout VirtualTime, every step: SimDuration, until end: SimInstant
  ) -> [[Int64]] {
    var meters = [[Int64](repeating: 0, count: fleet.phones.count)]
    var next = fleet.horizon + step
    while next <= end {
      time.advance(until: next)
      fleet.inOrder { $0.closeEnergy() }
      meters.append(fleet.energies().map(\.tracking))
      next = next + step
    }
    return meters
  }

  /// What happened to a phone in the measured time.
  package func measured(_ trace: PhoneTrace) -> [(at: SimInstant, what: TraceEvent)] {
    trace.entries.filter { scenario.measureStart <= $0.at && $0.at < scenario.measureEnd }
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
