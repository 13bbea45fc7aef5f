package import Capacity
internal import Collector
package import SimulationCore
package import Transport

/// What a measurement of a collector's capacity does.
package struct CapacityPlan {
  /// Is the path of the `flotilla` program, which runs as the collector.
  package var executable: String
  /// Keeps the batches; every trial begins with an empty one.
  package var store: TrialStore
  /// Is the path of the file that takes the collector's output.
  package var logFile: String
  /// Says how a search decides between loads, and how long its trials take.
  package var goal: SearchGoal
  /// Is the response time above which an acknowledged batch is late and counts as lost.
  package var latencyLimit: WallDuration
  /// Is the number of fixes of every batch, 1 to 500.
  package var fixesPerBatch: Int
  /// Counts the connections that all phones share.
  package var connections = 64
  /// Says how uploads stand on the wire.
  package var carrier = CarrierKind.flotilla
  /// Searches, one after the other.
  package var searches: Int
  /// Is the load at which the first search begins, in batches/s.
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

  /// Makes a plan; `fixesPerBatch` is clamped to 1 to 500.
  package init(
    executable: String, store: TrialStore, logFile: String, goal: SearchGoal,
    latencyLimit: WallDuration, fixesPerBatch: Int, searches: Int, identities: [UInt32],
    phones: Int
  ) {
    self.executable = executable
    self.store = store
    self.logFile = logFile
    self.goal = goal
    self.latencyLimit = latencyLimit
    self.fixesPerBatch = min(500, max(1, fixesPerBatch))
    self.searches = searches
    self.identities = identities
    self.phones = phones
  }

  func session(isDurable: Bool, phones: Int) -> OverloadPlan {
    var plan = OverloadPlan(
      executable: executable, storePath: nil, logFile: logFile)
    if isDurable { plan.storeArguments = store.arguments }
    plan.phones = phones
    plan.connections = connections
    plan.fixesPerBatch = fixesPerBatch
    plan.latencyLimit = latencyLimit
    plan.carrier = carrier
    return plan
  }

  /// The estimated duration of all trials, in seconds.
  package var expectedSeconds: Double {
    let around = Self.around
    let screening = 9 * (goal.initialSeconds + around)
    let full = 2.4 * (goal.sumSeconds + goal.sumSeconds / goal.finalSeconds * around)
    let verify = identities.isEmpty ? 0 : goal.finalSeconds + around
    return 7 * (goal.initialSeconds + around) + Double(searches) * (screening + full) + verify
  }
}
