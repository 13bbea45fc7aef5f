internal import Core

/// The waiting time of batches for the store beyond that of an idle store: the time of a commit of
/// few records and `groupDelay` are the cost of an fsync, not a queue.
struct StoreQueue {
  /// A commit of at most this many records takes only the time of the disk.
  private static let fewRecords = 8
  /// The maximum of `ownTime`: a healthy disk needs less, and the delay of a fault must count.
  private static let ownTimeMax = WallDuration.milliseconds(50)

  private let groupDelay: WallDuration
  /// The time of a commit of few records, smoothed over eight.
  private(set) var ownTime = WallDuration.zero
  private var worstOfLastCommit = WallDuration.zero

  init(groupDelay: WallDuration) { self.groupDelay = groupDelay }

  /// - Parameter worst: the longest wait from the receipt of a batch to the start of the commit.
  mutating func committed(records: Int, took: WallDuration, worst: WallDuration) {
    worstOfLastCommit = worst
    guard records <= Self.fewRecords else { return }
    let change = (min(took, Self.ownTimeMax) - ownTime).microseconds
    // The first time is taken unsmoothed.
    ownTime += .microseconds(ownTime == .zero ? change : change / 8)
  }

  /// - Parameter waiting: uploads that are not durable yet.
  /// - Parameter oldest: the time since which the oldest record waits for its transaction.
  mutating func delay(waiting: Int, oldest: WallInstant?, at now: WallInstant) -> WallDuration {
    if waiting == 0 { worstOfLastCommit = .zero }
    let worst = max(worstOfLastCommit, oldest.map { now - $0 } ?? .zero)
    return max(.zero, worst - ownTime - groupDelay)
  }
}
