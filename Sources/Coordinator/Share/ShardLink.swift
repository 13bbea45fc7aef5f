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

  package var isApart: Bool { true }

  /// Counts the phones that waited at each sweep for a rate that is less than the fleet.
  package var sweeps: [SweepWaiting] { waiting.withLock { $0 } }

  package func exchange<Value: Codable & Sendable>(_ mine: Value) -> [Value?] {
    (0..<place.count).map { $0 == place.number ? mine : nil }
  }

  package func agree(on bids: SweepBids) -> SweepCut {
    if !bids.keys.isEmpty {
      waiting.withLock {
        $0.append(
          SweepWaiting(sweep: bids.sweep, phones: bids.keys.count, allowed: bids.allowed))
      }
    }
    return SweepBids.cut([bids])
  }

  package func startInstant(
    in lead: WallDuration, wall: @Sendable () -> WallInstant
  ) -> WallInstant { wall() + (startsIn?() ?? lead) }

  package func post(_ interval: ShareInterval?) { self.interval.withLock { $0 = interval } }

  package func takeInterval() -> ShareInterval? {
    interval.withLock { interval in
      defer { interval = nil }
      return interval
    }
  }

  /// Does nothing: no other process would hear of it.
  package func stop() {}

  package var isStopped: Bool { false }

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
