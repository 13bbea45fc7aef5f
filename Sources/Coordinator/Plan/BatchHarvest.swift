internal import Fleet
package import Scenarios
internal import SimulationCore
package import Telemetry

/// The batches that a few phones would send in a day, lived in virtual time.
package struct BatchHarvest: Sendable {
  /// Every batch as it reached the server, first attempts and later ones once each.
  package private(set) var batches: [(id: BatchID, fixes: [Fix])] = []

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
