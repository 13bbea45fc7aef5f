internal import ServerLogic
internal import Synchronization
package import Uploads

/// One part of a run whose processes do not hear of each other, such as the tasks of a batch
/// system: what each leaves in its folder is added later, by `MergedRun`.
///
/// Each part decides alone who is pushed at a sweep. That is what one server of all phones would
/// decide as long as the rate allows everybody who waits; so what waited is kept, for the merge to
/// see whether the rate would have bound.
package final class RunPart: Sendable {
  /// The place of the part among those of the run.
  package let place: SharePlace
  private let waiting = Mutex<[SweepWaiting]>([])

  /// Makes the part at a place.
  package init(_ place: SharePlace) { self.place = place }

  /// The number of phones that waited at each sweep for a rate that is less than the fleet.
  var sweeps: [SweepWaiting] { waiting.withLock { $0 } }

  /// Determines up to which phone a sweep comes by its own bids, and keeps how many there were.
  func agree(on bids: SweepBids) -> SweepCut {
    if !bids.keys.isEmpty {
      waiting.withLock {
        $0.append(
          SweepWaiting(sweep: bids.sweep, phones: bids.keys.count, allowed: bids.allowed))
      }
    }
    return SweepBids.cut([bids])
  }
}

/// The number of phones of one part of a fleet that waited for the pushes of a sweep.
struct SweepWaiting: Codable, Equatable, Sendable {
  /// The number of the sweep.
  var sweep: Int64
  /// The number of phones that would be pushed if the rate were for them alone; controls of the
  /// holdout are not among them.
  var phones: Int
  /// The number of pushes that the rate allows the whole fleet at this sweep.
  var allowed: Int
}
