package import Capacity
internal import Collector
internal import Coordinator
internal import Measure
package import SimulationCore

/// What a measurement of a collector's capacity does.
package struct CapacityPlan: Sendable {
  package var executable: String
  package var storePath: String
  package var logFile: String
  package var goal: SearchGoal
  package var latencyLimit: WallDuration
  package var fixesPerBatch: Int
  package var connections = 64
  /// Searches, one after the other.
  package var searches: Int
  package var firstRate = 1_000.0
  /// The phones of the scenario, in the order of their uploads; empty: nothing is verified.
  package var identities: [UInt32]
  /// Of which the identities are.
  package var phones: Int

  /// More than a process can read from its sockets.
  static let largest = 500_000.0
  /// Before what counts of a trial, seconds.
  static let warmUp = 1
  /// What a trial takes beside its own time: a collector's start and end as well, seconds.
  static let around = 3.5
  /// What takes this long is lost, however it ends: far beyond the limit, and soon over.
  var deadline: WallDuration {
    min(OverloadSession.deadline, max(.seconds(1), latencyLimit * 20))
  }
  /// So many phones take turns where none are given.
  static let otherPhones = 200_000

  package init(
    executable: String, storePath: String, logFile: String, goal: SearchGoal,
    latencyLimit: WallDuration, fixesPerBatch: Int, searches: Int, identities: [UInt32],
    phones: Int
  ) {
    self.executable = executable
    self.storePath = storePath
    self.logFile = logFile
    self.goal = goal
    self.latencyLimit = latencyLimit
    self.fixesPerBatch = min(500, max(1, fixesPerBatch))
    self.searches = searches
    self.identities = identities
    self.phones = phones
  }

  var storeFiles: StoreFiles { StoreFiles(storePath) }

  func session(isDurable: Bool, phones: Int) -> OverloadBench.Plan {
    var plan = OverloadBench.Plan(
      executable: executable, storePath: isDurable ? storePath : nil, logFile: logFile)
    plan.phones = phones
    plan.connections = connections
    plan.fixesPerBatch = fixesPerBatch
    plan.latencyLimit = latencyLimit
    return plan
  }

  /// How long all of it takes about, seconds: for who waits.
  package var expectedSeconds: Double {
    let around = Self.around
    let screening = 9 * (goal.initialSeconds + around)
    let full = 2.4 * (goal.sumSeconds + goal.sumSeconds / goal.finalSeconds * around)
    let verify = identities.isEmpty ? 0 : goal.finalSeconds + around
    return 7 * (goal.initialSeconds + around) + Double(searches) * (screening + full) + verify
  }
}
