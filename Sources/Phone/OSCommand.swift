package import Scenarios
package import SimulationCore
package import Telemetry

/// What an app may ask of the operating system, and nothing else.
package enum OSCommand: Sendable, BitwiseCopyable {
  case startStandard(DesiredAccuracy, distanceFilter: Distance?)
  case stopStandard
  case startSignificantChange
  case stopSignificantChange
  case startVisits
  /// Replaces the app's one region. Radii below 100 m behave as 100 m (RG1).
  case monitorRegion(centre: Coordinate, radius: Distance)
  case setTimer(AppTimer, at: SimInstant)
  case cancelTimer(AppTimer)
  case beginBackgroundTask
  case endBackgroundTask
  /// Append to the outbox on disk: survives app death (HY4).
  case persist(Fix)
  /// The outbox is full: its oldest fix that is in no batch, the one after the first `after`, makes
  /// room. A number and not a question to the tracker: a later command of the same event may cut.
  case evictOldest(after: UInt16)
  /// Send the first `count` fixes of the outbox as batch `sequence`.
  case upload(sequence: UInt32, count: UInt16)
  /// The outbox forgets the first `count` fixes: the server has them, or will never take them.
  case forget(count: UInt16, UploadResult)
}

/// The commands of one event, in the order in which they are to be performed.
///
/// Inline storage: a fleet makes one a shard and reuses it, so that an event allocates nothing.
package struct CommandList: Sendable {
  private var storage: InlineArray<16, OSCommand>
  package private(set) var count = 0

  package init() { storage = InlineArray(repeating: .stopStandard) }

  package mutating func removeAll() { count = 0 }

  package mutating func append(_ command: OSCommand) {
    precondition(count < 16, "a tracker may answer one event with at most 16 commands")
    storage[count] = command
    count += 1
  }

  package subscript(index: Int) -> OSCommand { storage[index] }
}
