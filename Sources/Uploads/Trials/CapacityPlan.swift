package import Capacity
package import Core

package struct CapacityPlan {
  package var executable: String
  package var store: TrialStore
  package var logFile: String
  package var goal: SearchGoal
  /// The response time above which an acknowledged batch counts as late.
  package var latencyLimit: WallDuration
  /// The number of fixes per batch, 1 to 500.
  package var fixesPerBatch: Int
  /// The number of connections, shared by all phones.
  package var connections = 64
  package var carrier = CarrierKind.flotilla
  package var searches: Int
  /// The first load, in batches/s.
  package var firstRate = 1_000.0
  /// The scenario's phones in the order of their uploads; empty to skip the verification.
  package var identities: [UInt32]
  package var phones: Int

  /// The largest load in batches/s, more than a process can read from its sockets.
  static let largest = 500_000.0
  /// The warm-up before the counted time of a trial, in seconds.
  static let warmUp = 1
  /// A trial's overhead in seconds, including starting and stopping a collector.
  static let around = 3.5
  /// The time after which a batch has timed out, far above `latencyLimit`.
  var deadline: WallDuration {
    min(OverloadSession.deadline, max(.seconds(1), latencyLimit * 20))
  }
  /// The number of phones, used in turn, if `identities` is empty.
  static let otherPhones = 200_000

  /// `fixesPerBatch` is clamped to 1 to 500.
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

  package var expectedSeconds: Double {
    let around = Self.around
    let screening = 9 * (goal.initialSeconds + around)
    let full = 2.4 * (goal.sumSeconds + goal.sumSeconds / goal.finalSeconds * around)
    let verify = identities.isEmpty ? 0 : goal.finalSeconds + around
    return 7 * (goal.initialSeconds + around) + Double(searches) * (screening + full) + verify
  }
}
