internal import Core
internal import Fleet
internal import Foundation
internal import Synchronization
internal import Transport

/// Advances a fleet with the wall clock, on a separate thread. Every millisecond, phones run up to
/// 4 ms ahead of the clock, so that uploads are submitted before their intended time.
final class Pacer: Sendable {
  private struct State: Sendable {
    var isAsked = false
    var isOver = false
  }

  private let live: LiveFleet
  private let clock: PacedClock
  private let end: SimInstant
  private let wall: @Sendable () -> WallInstant
  private let state = Mutex(State())
  private let hasEnded = DispatchSemaphore(value: 0)
  private let waiter = Waiter()

  private static let lookahead = WallDuration.milliseconds(4)
  private static let step = WallDuration.milliseconds(1)

  init(
    _ live: LiveFleet, clock: PacedClock, end: SimInstant,
    wall: @escaping @Sendable () -> WallInstant
  ) {
    self.live = live
    self.clock = clock
    self.end = end
    self.wall = wall
  }

  func start() {
    let thread = Thread { [self] in run() }
    thread.name = "flotilla.pacer"
    thread.start()
  }

  var isOver: Bool { state.withLock { $0.isOver } }

  /// Stops the ticks. Returns after the last tick was submitted.
  func stop() {
    state.withLock { $0.isAsked = true }
    waiter.wake()
    hasEnded.wait()
  }

  private func run() {
    ThreadUrgency.raise()
    waiter.takeTurns {
      guard !state.withLock({ $0.isAsked }), live.horizon < end else { return nil }
      live.tick(before: min(clock.scenario(at: wall() + Self.lookahead), end))
      return wall() + Self.step
    }
    state.withLock { $0.isOver = live.horizon >= end }
    Waiter.shared.wake()
    hasEnded.signal()
  }
}
