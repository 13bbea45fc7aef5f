internal import ServerLogic
internal import Synchronization
package import Uploads

/// One part of a run whose processes do not communicate, such as the tasks of a batch system.
/// `MergedRun` adds their results later.
///
/// Each part alone decides which phones to push at a sweep. A common server would decide the same
/// while the rate allows every waiting phone. Each part stores the number of waiting phones, so
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
  /// The number of phones that this part alone would push, holdout excluded, up to `allowed`.
  var phones: Int
  var allowed: Int
}
