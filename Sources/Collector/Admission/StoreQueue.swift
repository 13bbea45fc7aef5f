internal import SimulationCore

/// How long batches wait for the store beyond what a store without a queue would cost them.
///
/// A batch that comes while a commit is under way waits for its end, and then for company
/// (`groupDelay`): that is the price of an fsync, not a queue. So the time of a commit of few
/// records is taken off; what a longer one adds is work that has piled up.
struct StoreQueue {
  /// A commit of so few records takes as long as the disk does.
  private static let fewRecords = 8
  /// More than any disk needs that is well; what takes longer is a fault and shall count.
  private static let ownTimeMax = WallDuration.milliseconds(50)

  private let groupDelay: WallDuration
  /// Of a commit of few records, smoothed over eight.
  private(set) var ownTime = WallDuration.zero
  private var worstOfLastCommit = WallDuration.zero

  init(groupDelay: WallDuration) { self.groupDelay = groupDelay }

  /// - Parameter worst: from the receipt of the commit's oldest batch to its begin.
  mutating func committed(records: Int, took: WallDuration, worst: WallDuration) {
    worstOfLastCommit = worst
    guard records <= Self.fewRecords else { return }
    let change = (min(took, Self.ownTimeMax) - ownTime).microseconds
    // The first one is taken as it is.
    ownTime += .microseconds(ownTime == .zero ? change : change / 8)
  }

  /// - Parameters:
  ///   - waiting: uploads that are not durable yet.
  ///   - oldest: since when the oldest waits whose transaction has not begun.
  mutating func delay(waiting: Int, oldest: WallInstant?, at now: WallInstant) -> WallDuration {
    if waiting == 0 { worstOfLastCommit = .zero }
    let worst = max(worstOfLastCommit, oldest.map { now - $0 } ?? .zero)
    return max(.zero, worst - ownTime - groupDelay)
  }
}
