package import Fleet
package import Measure
package import Scenarios
package import ServerLogic
package import SimulationCore
package import Wire

/// What one run needs beside its scenario; given by the command line, which alone knows the wall
/// clock and the words of the command.
package struct RunPlan: Sendable {
  /// Is the scenario to run, with all settings applied.
  package var scenario: Scenario
  /// Is the scenario as YAML, with all defaults, for the run's record.
  package var scenarioText: String
  /// Is the hash by which journals and input logs know the scenario.
  package var scenarioHash: UInt64
  /// Holds the words of the command line, for the run's record.
  package var command: [String]
  /// Is the program's version, for the run's record.
  package var version: String
  /// Counts the threads that live the fleet's shards.
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

  /// Makes the plan of a whole fleet that sends packed batches and traces no phone.
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
