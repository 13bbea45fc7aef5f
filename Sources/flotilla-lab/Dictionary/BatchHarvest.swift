internal import Fleet
package import Scenarios
internal import SimulationCore
package import Telemetry

/// Collects the batches that a few phones would send in a day, simulated in virtual time.
package struct BatchHarvest: Sendable {
  /// Holds every batch that reached the server, once each whether by a first attempt or a later
  /// one.
  package private(set) var batches: [(id: BatchID, fixes: [Fix])] = []

  /// Simulates the scenario in virtual time and keeps the batches that reach the server after the
  /// warm start.
  package init(_ scenario: Scenario, threads: Int) {
    let fleet = PhoneFleet(scenario, threads: threads)
    var time = VirtualTime(
      fleet: fleet,
      backend: VirtualTime.newBackend(for: fleet, at: scenario.start - scenario.warmStart))
    time.advance(until: scenario.start)
    var batches: [(id: BatchID, fixes: [Fix])] = []
    time.received = { batches.append(($0, Array($1))) }
    time.advance(until: scenario.measureEnd)
    self.batches = batches
  }
}
