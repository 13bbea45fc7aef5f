internal import Core

/// Measures how long events may have waited for the loop.
///
///     … callbacks │ prepare │ poll ─ sleeps ─▶ returns │ callbacks │ prepare │ poll, no sleep │ …
///
/// If the poll slept, an event has waited at most since the poll returned. Otherwise the event has
/// waited at most since the previous poll returned. Under overload turns and waits grow.
struct LoopPace {
  private(set) var returned = WallInstant(microseconds: 0)
  private(set) var readySince = WallInstant(microseconds: 0)
  private(set) var turn: UInt64 = 0
  private var hasPolled = false
  /// The libuv clock of the last poll in milliseconds. A turn may have several polls.
  private var pollTime: UInt64 = 0
  /// The nanoseconds that libuv's polls have slept, without waits for a core.
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
