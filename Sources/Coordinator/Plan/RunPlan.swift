package import Fleet
package import Measure
package import Scenarios
package import ServerLogic
package import SimulationCore
package import Wire

/// What one run needs beside its scenario; given by the command line, which alone knows the wall
/// clock and the words of the command.
package struct RunPlan: Sendable {
  package var scenario: Scenario
  package var scenarioText: String
  package var scenarioHash: UInt64
  package var command: [String]
  package var version: String
  package var threads: Int
  /// ISO 8601, UTC.
  package var startedAt: String
  /// The machine's monotonic clock.
  package var wall: @Sendable () -> WallInstant
  /// Batches are columns compressed with it instead of packed; nil: as they ship.
  package var dictionary: PayloadDictionary?
  /// The phones of the scenario that this process lives; nil: all of them.
  package var share: Range<Int>?
  /// Agrees with the processes that live the other phones whom a sweep in virtual time pushes; nil:
  /// the rate of pushes is for this process alone.
  package var agree: (@Sendable (SweepBids) -> SweepCut)?
  /// Writes down one phone's life.
  package var trace: PhoneTrace?

  package init(
    scenario: Scenario, scenarioText: String, scenarioHash: UInt64, command: [String],
    version: String, threads: Int, startedAt: String, wall: @escaping @Sendable () -> WallInstant
  ) {
    self.scenario = scenario
    self.scenarioText = scenarioText
    self.scenarioHash = scenarioHash
    self.command = command
    self.version = version
    self.threads = threads
    self.startedAt = startedAt
    self.wall = wall
  }

  /// The numbers of the phones that this process lives.
  package var phones: Range<Int> { share ?? 0..<scenario.fleet.phones }
}

/// How far a run is, for whoever shows it.
package enum RunProgress: Sendable {
  /// Virtual time: warm start, or a whole simulation.
  case virtual(Snapshot)
  case live(LiveInterval)
  case note(String)
}
