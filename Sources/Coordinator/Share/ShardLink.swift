package import ServerLogic
package import SimulationCore
internal import Synchronization

/// Carries out one part of a run whose processes do not hear of each other, such as the tasks of a
/// batch system: what each leaves in its folder is added later, by `MergedRun`.
///
/// Each process decides alone who is pushed at a sweep. That is what one server of all phones would
/// decide as long as the rate allows everybody who waits; so what waited is kept, for the merge to
/// see whether the rate would have bound.
package final class ShardLink: ShareLink {
  /// Is this process's place among those of the run.
  package let place: SharePlace
  private let startsIn: (@Sendable () -> WallDuration)?
  private let interval = Mutex<ShareInterval?>(nil)
  private let waiting = Mutex<[SweepWaiting]>([])

  /// Makes the link of one part.
  ///
  /// - Parameter startsIn: returns the time that is left to the instant at which the live part
  ///   begins in all processes; nil where it begins as soon as this one is ready.
  package init(_ place: SharePlace, startsIn: (@Sendable () -> WallDuration)? = nil) {
    self.place = place
    self.startsIn = startsIn
  }

  /// Is true: nobody else takes part in this process's exchanges.
  package var isApart: Bool { true }

  /// Counts the phones that waited at each sweep for a rate that is less than the fleet.
  package var sweeps: [SweepWaiting] { waiting.withLock { $0 } }

  /// Gives each process the values of all: its own alone.
  package func exchange<Value: Codable & Sendable>(_ mine: Value) -> [Value?] {
    (0..<place.count).map { $0 == place.number ? mine : nil }
  }

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

  /// Returns the instant at which the live part begins: what is left to it from now.
  package func startInstant(
    in lead: WallDuration, wall: @Sendable () -> WallInstant
  ) -> WallInstant { wall() + (startsIn?() ?? lead) }

  /// Takes what this process saw of a second, for itself.
  package func post(_ interval: ShareInterval?) { self.interval.withLock { $0 = interval } }

  /// Returns the earliest second that no call has returned: its own.
  package func takeInterval() -> ShareInterval? {
    interval.withLock { interval in
      defer { interval = nil }
      return interval
    }
  }

  /// Does nothing: no other process would hear of it.
  package func stop() {}

  /// Is true once another process has asked for an early end, which nobody can.
  package var isStopped: Bool { false }

  /// Ends this process's part of the run: its own is all there is.
  package func end(_ mine: ShareEnd) -> [ShareEnd] { [mine] }
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
