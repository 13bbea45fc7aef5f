internal import ServerLogic
internal import Synchronization
package import Uploads

/// One part of a run whose processes do not communicate, such as the tasks of a batch system;
/// `MergedRun` combines their results later.
///
/// Each part decides alone which phones to push at a sweep. One server of all phones would decide
/// the same while the rate allows every waiting phone. The number of waiting phones is stored, so
/// that the merge can detect whether the rate would have been reached.
package final class RunPart: Sendable {
  package let place: SharePlace
  private let waiting = Mutex<[SweepWaiting]>([])

  package init(_ place: SharePlace) { self.place = place }

  var sweeps: [SweepWaiting] { waiting.withLock { $0 } }

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

struct SweepWaiting: Codable, Equatable, Sendable {
  var sweep: Int64
  /// The number pushed if these phones had the rate to themselves, without held-out controls.
  var phones: Int
  var allowed: Int
}
