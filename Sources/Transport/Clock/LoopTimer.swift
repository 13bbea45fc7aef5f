internal import CUV
package import Core
internal import Foundation

/// A one-shot, rearmable timer for the loop's thread. The timer is late by up to `Alarm.leeway` on
/// Linux (timerfd), and by up to a millisecond on other systems (libuv).
package final class LoopTimer {
  private unowned let loop: EventLoop
  private let action: () -> Void
  fileprivate var due = Int64.max

  /// Creates an unarmed timer that runs `action` on the loop's thread. The loop is not retained.
  package init(on loop: EventLoop, _ action: @escaping () -> Void) {
    self.loop = loop
    self.action = action
    loop.alarm?.timers.append(WeakTimer(timer: self))
  }

  /// Lets the timer fire at `instant`, or soon if `instant` has passed. Replaces the last instant.
  package func arm(at instant: WallInstant) {
    loop.assertOnLoop()
    guard due != instant.microseconds else { return }
    due = instant.microseconds
    loop.alarm?.settle()
  }

  /// Disarms the timer, which can be armed again. Must be called on the loop's thread.
  package func disarm() {
    loop.assertOnLoop()
    due = .max
  }

  fileprivate func fire() {
    due = .max
    action()
  }
}

struct WeakTimer {
  weak var timer: LoopTimer?
}

/// The only alarm of a loop, set to the earliest timer by a linear search, since timers are few.
final class Alarm {
  private unowned(unsafe) let loop: EventLoop
  fileprivate(set) var timers: [WeakTimer] = []
  private var armed = Int64.max
  /// The instant of the last alarm in microseconds. Timers due less than `leeway` later fire
  /// together after `leeway`. At 20,000 batches/s this leeway cut CPU time per batch by a quarter.
  private var rang = Int64.min / 2
  private static let leeway = WallDuration.microseconds(100)
  private var isFiring = false
  /// The handle that fires due timers in the next turn, before I/O is polled. A system timer set to
  /// the past would cost a generator 7 % with eight batches in flight on 1,000 connections.
  private let soon: UnsafeMutablePointer<uv_idle_t>
  #if os(Linux)
    private let descriptor: Int32
    private let poll: UnsafeMutablePointer<uv_poll_t>
  #else
    private let timer: UnsafeMutablePointer<uv_timer_t>
  #endif

  init(loop: EventLoop) {
    self.loop = loop
    soon = .allocate(capacity: 1)
    uv_idle_init(loop.loop, soon)
    #if os(Linux)
      descriptor = flotilla_timerfd_make()
      guard descriptor >= 0 else { fatalError("timerfd: no descriptor left for a loop's alarm") }
      poll = .allocate(capacity: 1)
      guard uv_poll_init(loop.loop, poll, descriptor) == 0 else {
        fatalError("libuv: cannot watch a timerfd")
      }
      uv_poll_start(poll, Int32(UV_READABLE.rawValue)) { handle, _, _ in
        let loop = EventLoop.of(handle!.pointee.loop)
        loop.notePoll()
        loop.alarm?.silence()
        loop.alarm?.ring()
      }
    #else
      timer = .allocate(capacity: 1)
      uv_timer_init(loop.loop, timer)
    #endif
  }

  func settle() {
    guard !isFiring else { return }
    var earliest = Int64.max
    for entry in timers { earliest = min(earliest, entry.timer?.due ?? .max) }
    // An alarm that fires too early is harmless, and cheaper than a system call at every disarm.
    guard earliest < armed else { return }
    let now = loop.now.microseconds
    if earliest > now { earliest = max(earliest, rang + Self.leeway.microseconds) }
    guard earliest < armed else { return }
    armed = earliest
    let wait = earliest - now
    guard wait > 0 else { return ringSoon() }
    // The code that advances a manual clock reads `next` and fires the alarm.
    if case .manual = loop.clock { return }
    #if os(Linux)
      // EINVAL is impossible: a future instant is neither negative nor 0.
      _ = flotilla_timerfd_arm(descriptor, earliest)
    #else
      uv_update_time(timer.pointee.loop)
      uv_timer_start(
        timer, { EventLoop.of($0!.pointee.loop).alarm?.ring() }, UInt64(wait / 1_000), 0)
    #endif
  }

  private func ringSoon() {
    uv_idle_start(soon) { handle in
      uv_idle_stop(handle)
      EventLoop.of(handle!.pointee.loop).alarm?.ring()
    }
  }

  var next: WallInstant? { armed == .max ? nil : WallInstant(microseconds: armed) }

  func ringIfDue() {
    if armed <= loop.now.microseconds { ringSoon() }
  }

  #if os(Linux)
    private func silence() {
      var expirations: UInt64 = 0
      // EAGAIN follows a re-arm between poll and read, and is harmless: `ring` checks every timer.
      _ = read(descriptor, &expirations, MemoryLayout<UInt64>.size)
    }
  #endif

  private func ring() {
    armed = .max
    let now = loop.now.microseconds
    rang = now
    isFiring = true
    var index = 0
    while index < timers.count {
      if let timer = timers[index].timer {
        if timer.due <= now { timer.fire() }
        index += 1
      } else {
        timers.remove(at: index)
      }
    }
    isFiring = false
    settle()
  }

  func close() {
    let soon = UnsafeMutableRawPointer(soon).assumingMemoryBound(to: uv_handle_t.self)
    uv_close(soon) { $0!.deallocate() }
    #if os(Linux)
      let poll = UnsafeMutableRawPointer(poll).assumingMemoryBound(to: uv_handle_t.self)
      // The descriptor is closed after libuv has released it.
      poll.pointee.data = UnsafeMutableRawPointer(bitPattern: Int(descriptor))
      uv_close(poll) { handle in
        Foundation.close(Int32(Int(bitPattern: handle!.pointee.data)))
        handle!.deallocate()
      }
    #else
      uv_close(UnsafeMutableRawPointer(timer).assumingMemoryBound(to: uv_handle_t.self)) { handle in
        handle!.deallocate()
      }
    #endif
  }
}
