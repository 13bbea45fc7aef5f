internal import SimulationCore

/// Measures how long batches wait for the store beyond what an idle store would cost them.
///
/// A batch that arrives during a commit waits for its end, and then for further batches
/// (`groupDelay`): that is the price of an fsync, not a queue. So the time of a commit of few
/// records is subtracted; what a longer commit adds is work that has piled up.
struct StoreQueue {
  /// A commit of at most this many records takes only the disk's own time.
  private static let fewRecords = 8
  /// Is more than any healthy disk needs; a longer time is a fault and must count.
  private static let ownTimeMax = WallDuration.milliseconds(50)

  private let groupDelay: WallDuration
  /// Is the time of a commit of few records, smoothed over eight.
  private(set) var ownTime = WallDuration.zero
  private var worstOfLastCommit = WallDuration.zero

  init(groupDelay: WallDuration) { self.groupDelay = groupDelay }

  /// - Parameter worst: the longest wait, from the receipt of the commit's oldest batch to its
  ///   begin.
  mutating func committed(records: Int, took: WallDuration, worst: WallDuration) {
    worstOfLastCommit = worst
    guard records <= Self.fewRecords else { return }
    let change = (min(took, Self.ownTimeMax) - ownTime).microseconds
    // The first one is taken unsmoothed.
    ownTime += .microseconds(ownTime == .zero ? change : change / 8)
  }

  /// - Parameters:
  ///   - waiting: the number of uploads that are not durable yet.
  ///   - oldest: the instant since which the oldest record waits for its transaction.
  mutating func delay(waiting: Int, oldest: WallInstant?, at now: WallInstant) -> WallDuration {
    if waiting == 0 { worstOfLastCommit = .zero }
    let worst = max(worstOfLastCommit, oldest.map { now - $0 } ?? .zero)
    return max(.zero, worst - ownTime - groupDelay)
  }
}
