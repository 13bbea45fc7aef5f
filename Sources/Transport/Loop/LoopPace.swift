internal import Core

/// Measures how long events may have waited for the loop.
///
///     … callbacks │ prepare │ poll ─ sleeps ─▶ returns │ callbacks │ prepare │ poll, no sleep │ …
///
/// An event has waited at most since the poll's return if the poll slept, otherwise since the
/// previous poll. The wait is a turn's length if the loop keeps up, and grows under overload.
struct LoopPace {
  private(set) var returned = WallInstant(microseconds: 0)
  private(set) var readySince = WallInstant(microseconds: 0)
  private(set) var turn: UInt64 = 0
  private var hasPolled = false
  /// The libuv clock in milliseconds, which every poll updates. A turn may have several polls.
  private var pollTime: UInt64 = 0
  /// The nanoseconds that libuv has slept. A poll's length would include the wait for a core.
  private var idle: UInt64 = 0

  mutating func willPoll() {
    hasPolled = false
    turn &+= 1
  }

  /// - Parameter idleTime: libuv's idle time, which grows only when a poll sleeps.
  mutating func note(
    pollTime time: UInt64, idleTime: @autoclosure () -> UInt64,
    now: @autoclosure () -> WallInstant
  ) {
    guard !hasPolled || time != pollTime else { return }
    hasPolled = true
    pollTime = time
    let (now, idleNow) = (now(), idleTime())
    readySince = idleNow > idle ? now : returned
    returned = now
    idle = idleNow
  }
}
