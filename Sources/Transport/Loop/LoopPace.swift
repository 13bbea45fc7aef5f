internal import Core

/// How long events may have waited for the loop.
///
///     … callbacks │ prepare │ poll ─ sleeps ─▶ returns │ callbacks │ prepare │ poll, no sleep │ …
///
/// An event has waited since the poll's return if the poll slept, otherwise since the previous poll
/// at most. A loop that keeps up shows the length of a turn; for an overloaded one it grows.
struct LoopPace {
  private(set) var returned = WallInstant(microseconds: 0)
  private(set) var readySince = WallInstant(microseconds: 0)
  private(set) var turn: UInt64 = 0
  private var hasPolled = false
  /// libuv's clock in milliseconds, which advances with every poll; a turn may have several.
  private var pollTime: UInt64 = 0
  /// libuv's sleep so far, in nanoseconds; a poll's length would include waiting for a core.
  private var idle: UInt64 = 0

  mutating func willPoll() {
    hasPolled = false
    turn &+= 1
  }

  /// - Parameter idleTime: libuv's idle time, which grows only when a poll slept.
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
