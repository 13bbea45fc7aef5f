package import ServerLogic
package import SimulationCore
internal import Synchronization
package import Uploads

/// Carries out a run in one process, or one part of a run whose processes do not hear of each
/// other, such as the tasks of a batch system: what each leaves in its folder is added later, by
/// `MergedRun`.
///
/// It waits for nobody, and what it saw and leaves is its own alone. Each part decides alone who is
/// pushed at a sweep. That is what one server of all phones would decide as long as the rate allows
/// everybody who waits; so what waited is kept, for the merge to see whether the rate would have
/// bound.
package final class LoneProcess: ShareLink {
  /// Is this process's place among those of the run.
  package let place: SharePlace
  /// Whether nobody else takes part in this process's exchanges, although there are others.
  package let isApart: Bool
  private let startsIn: (@Sendable () -> WallDuration)?
  private let interval = Mutex<ShareInterval?>(nil)
  private let waiting = Mutex<[SweepWaiting]>([])

  /// Makes the link of a run of one process, or of one part of a run.
  ///
  /// - Parameters:
  ///   - shard: the place of the part; nil where there is no other process.
  ///   - startsIn: returns the time that is left to the instant at which the live part begins; nil
  ///     where it begins as soon as the fleet is ready.
  package init(shard: SharePlace? = nil, startsIn: (@Sendable () -> WallDuration)? = nil) {
    place = shard ?? .alone
    isApart = shard != nil
    self.startsIn = startsIn
  }

  /// The number of phones that waited at each sweep for a rate that is less than the fleet.
  package var sweeps: [SweepWaiting] { waiting.withLock { $0 } }

  /// Determines up to which phone a sweep comes by its own bids, and keeps how many there were.
  package func agree(on bids: SweepBids) -> SweepCut {
    if isApart, !bids.keys.isEmpty {
      waiting.withLock {
        $0.append(
          SweepWaiting(sweep: bids.sweep, phones: bids.keys.count, allowed: bids.allowed))
      }
    }
    return SweepBids.cut([bids])
  }

  /// Gives each process the values of all: its own alone.
  package func exchange<Value: Codable & Sendable>(_ mine: Value) -> [Value?] {
    (0..<place.count).map { $0 == place.number ? mine : nil }
  }

  /// Returns the instant at which the live part begins: what is left to it from now.
  package func startInstant(
    in lead: WallDuration, wall: @Sendable () -> WallInstant
  ) -> WallInstant { wall() + (startsIn?() ?? lead) }

  /// Takes what this process saw of a second, for itself.
  package func post(_ interval: ShareInterval?) { self.interval.withLock { $0 = interval } }

  /// Returns the earliest second that no call has returned: its own.
  package func takeInterval() -> ShareInterval? { interval.withLock { $0.take() } }

  /// Does nothing: no other process would hear of it.
  package func stop() {}

  /// Is true once another process has asked for an early end, which nobody can.
  package var isStopped: Bool { false }

  /// Ends this process's part of the run: its own is all there is.
  package func end(_ mine: ShareEnd) -> [ShareEnd] { [mine] }
}

/// The number of phones of one part of a fleet that waited for the pushes of a sweep.
package struct SweepWaiting: Codable, Equatable, Sendable {
  /// Numbers the sweep.
  package var sweep: Int64
  /// The number of phones that would be pushed if the rate were for them alone; controls of the
  /// holdout are not among them.
  package var phones: Int
  /// How many pushes the rate allows the whole fleet at this sweep.
  package var allowed: Int
}
