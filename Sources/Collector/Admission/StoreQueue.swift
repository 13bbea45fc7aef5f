internal import Core

/// How much longer batches wait for the store than for an idle store. The time of a commit of few
/// records, and `groupDelay`, are the cost of an fsync, not a queue.
struct StoreQueue {
  /// A commit of at most this many records takes only the time of the disk.
  private static let fewRecords = 8
  /// The maximum of `ownTime`. A healthy disk needs less, and a faulty disk's delay must count.
  private static let ownTimeMax = WallDuration.milliseconds(50)

  private let groupDelay: WallDuration
  /// The time of a commit of few records, smoothed over eight commits.
  private(set) var ownTime = WallDuration.zero
  private var worstOfLastCommit = WallDuration.zero

  init(groupDelay: WallDuration) { self.groupDelay = groupDelay }

  /// - Parameter worst: the longest wait from the receipt of a batch to the start of the commit.
  mutating func committed(records: Int, took: WallDuration, worst: WallDuration) {
    worstOfLastCommit = worst
    guard records <= Self.fewRecords else { return }
    let change = (min(took, Self.ownTimeMax) - ownTime).microseconds
    // The time of the first commit is taken unsmoothed.
    ownTime += .microseconds(ownTime == .zero ? change : change / 8)
  }

  /// - Parameter waiting: the number of uploads that are not durable yet.
  /// - Parameter oldest: when the oldest record began to wait for its transaction; nil for none.
  mutating func delay(waiting: Int, oldest: WallInstant?, at now: WallInstant) -> WallDuration {
    if waiting == 0 { worstOfLastCommit = .zero }
    let worst = max(worstOfLastCommit, oldest.map { now - $0 } ?? .zero)
    return max(.zero, worst - ownTime - groupDelay)
  }
}
