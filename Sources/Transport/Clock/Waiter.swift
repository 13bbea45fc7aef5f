internal import CUV
package import Core

/// Blocks threads until a wake-up or an instant. After each wake-up a thread checks its condition,
/// so one waiter serves any number of threads and events. `@unchecked Sendable`: `mutex` guards the
/// mutable state.
package final class Waiter: @unchecked Sendable {
  /// The waiter of a program's control threads, woken by signals, ends of work and arrivals.
  package static let shared = Waiter()

  private let mutex = UnsafeMutablePointer<uv_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<uv_cond_t>.allocate(capacity: 1)
  private var wakeUps = 0

  package init() {
    // Both libuv calls fail only without memory.
    guard uv_mutex_init(mutex) == 0, uv_cond_init(condition) == 0 else {
      fatalError("libuv: cannot make a condition")
    }
  }

  deinit {
    uv_cond_destroy(condition)
    uv_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Wakes every waiting thread. Any thread may call `wake`.
  package func wake() {
    uv_mutex_lock(mutex)
    wakeUps += 1
    uv_cond_broadcast(condition)
    uv_mutex_unlock(mutex)
  }

  /// Calls `turn` at once, after each wake-up, and at the instant that `turn` last returned, until
  /// `turn` returns nil. A wake-up during a call of `turn` causes another call.
  package func takeTurns<Failure: Error>(
    _ turn: () throws(Failure) -> WallInstant?
  ) throws(Failure) {
    while true {
      uv_mutex_lock(mutex)
      let seen = wakeUps
      uv_mutex_unlock(mutex)
      guard let due = try turn() else { return }
      block(until: due, since: seen)
    }
  }

  private func block(until due: WallInstant, since seen: Int) {
    uv_mutex_lock(mutex)
    defer { uv_mutex_unlock(mutex) }
    while wakeUps == seen {
      let rest = (due - MonotonicClock.now).microseconds
      guard rest > 0 else { return }
      // The wait is at most an hour, since libuv adds it to its clock, which could overflow.
      _ = uv_cond_timedwait(condition, mutex, UInt64(min(rest, 3_600_000_000)) * 1_000)
    }
  }

  /// Waits until `isDone` returns true or `limit` has passed. Returns the last result of `isDone`.
  ///
  /// - Parameter step: the maximum time between two calls of `isDone`, for conditions that wake no
  ///   waiter. nil means no maximum.
  @discardableResult
  package func wait(
    until limit: WallInstant = .distantFuture, every step: WallDuration? = nil,
    for isDone: () -> Bool
  ) -> Bool {
    var isOver = false
    takeTurns {
      isOver = isDone()
      let now = MonotonicClock.now
      guard !isOver, now < limit else { return nil }
      return step.map { min(limit, now + $0) } ?? limit
    }
    return isOver
  }

  package func pause(_ time: WallDuration, unless isOver: () -> Bool = { false }) {
    wait(until: MonotonicClock.now + time, for: isOver)
  }
}
