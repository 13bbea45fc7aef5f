package import Core
internal import Fleet
package import Scenarios

/// Collects the batches of a few phones on a simulated day.
package struct BatchHarvest: Sendable {
  /// The batches that reached the server, each once.
  package private(set) var batches: [(id: BatchID, fixes: [Fix])] = []

  /// Simulates the scenario and collects the batches after the warm start.
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
