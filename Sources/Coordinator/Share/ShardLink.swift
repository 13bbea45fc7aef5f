package import Processes
package import ServerLogic
package import SimulationCore
internal import Synchronization

/// Carries out one part of a run whose processes do not hear of each other, such as the tasks of a
/// batch system: what each leaves in its folder is added later, by `MergedRun`.
///
/// Each process decides alone who is pushed at a sweep. That is what one server of all phones would
/// decide as long as the rate allows everybody who waits; so what waited is kept, for the merge to
/// see whether the rate would have bound.
package final class ShardLink: LoneProcess {
  /// Is this process's place among those of the run.
  package let place: SharePlace
  /// Holds when the live part begins, and the second that was posted last.
  package let seconds: OwnSeconds
  private let waiting = Mutex<[SweepWaiting]>([])

  /// Makes the link of one part.
  ///
  /// - Parameter startsIn: returns the time that is left to the instant at which the live part
  ///   begins in all processes; nil where it begins as soon as this one is ready.
  package init(_ place: SharePlace, startsIn: (@Sendable () -> WallDuration)? = nil) {
    self.place = place
    seconds = OwnSeconds(startsIn: startsIn)
  }

  /// Is true: nobody else takes part in this process's exchanges.
  package var isApart: Bool { true }

  /// Counts the phones that waited at each sweep for a rate that is less than the fleet.
  package var sweeps: [SweepWaiting] { waiting.withLock { $0 } }

  /// Determines up to which phone a sweep comes by its own bids, and keeps how many there were.
  package func agree(on bids: SweepBids) -> SweepCut {
    if !bids.keys.isEmpty {
      waiting.withLock {
        $0.append(
          SweepWaiting(sweep: bids.sweep, phones: bids.keys.count, allowed: bids.allowed))
      }
    }
    return SweepBids.cut([bids])
  }
}

/// Counts the phones of one part of a fleet that waited for the pushes of a sweep.
package struct SweepWaiting: Codable, Equatable, Sendable {
  /// Numbers the sweep.
  package var sweep: Int64
  /// Counts the phones that would be pushed if the rate were for them alone; controls of the
  /// holdout are not among them.
  package var phones: Int
  /// Is how many pushes the rate allows the whole fleet at this sweep.
  package var allowed: Int
}
