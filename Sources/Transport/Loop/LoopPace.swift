internal import SimulationCore

/// Since when the events that a loop handles may have been waiting for it.
///
///     … callbacks │ prepare │ poll ─ sleeps ─▶ returns │ callbacks │ prepare │ poll, no sleep │ …
///
/// A poll that slept returns when something becomes ready: it has waited since that return. A poll
/// that did not sleep found it ready: it has waited since the poll before, at most. So a loop that
/// keeps up shows the length of a turn, and one that does not shows it growing.
struct LoopPace {
  /// Returns of the last poll and of the one before.
  private(set) var returned = WallInstant(microseconds: 0)
  private(set) var readySince = WallInstant(microseconds: 0)
  /// Turns of the loop since it was made.
  private(set) var turn: UInt64 = 0
  /// Whether a poll of this turn has been seen to return.
  private var hasPolled = false
  /// libuv's own clock, in milliseconds: it moves on with every poll, of which a turn may have
  /// several when very many sockets are ready.
  private var pollTime: UInt64 = 0
  /// What libuv has slept in polls so far, nanoseconds. The length of a poll would not tell: a loop
  /// that shares its core may wait for that just as long.
  private var idle: UInt64 = 0

  mutating func willPoll() {
    hasPolled = false
    turn &+= 1
  }

  /// - Parameters:
  ///   - time: libuv's clock.
  ///   - idleTime: libuv's idle time; it grows only when a poll found nothing and had to sleep.
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
