internal import Figures
internal import Fleet
internal import Foundation
internal import SimulationCore
internal import Synchronization

/// Simulates a fleet in step with the clock, on a thread that does nothing else.
///
/// Each millisecond the phones may advance to four milliseconds ahead of the clock, so that uploads
/// are encoded and handed over before their intended instant. Other work of a run, such as
/// restarting a collector or counting an interval, happens on another thread and makes no phone
/// late.
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

  /// Is how far the fleet is simulated ahead of the clock.
  private static let lookahead = WallDuration.milliseconds(4)
  private static let tickMicroseconds: UInt32 = 1_000

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

  /// Is true once every phone has been simulated to the end.
  var isOver: Bool { state.withLock { $0.isOver } }

  /// Stops the ticks; returns when the last one has been handed over.
  func stop() {
    state.withLock { $0.isAsked = true }
    hasEnded.wait()
  }

  private func run() {
    ThreadUrgency.raise()
    while !state.withLock({ $0.isAsked || $0.isOver }) {
      live.tick(before: min(clock.scenario(at: wall() + Self.lookahead), end))
      if live.horizon >= end { state.withLock { $0.isOver = true } }
      usleep(Self.tickMicroseconds)
    }
    hasEnded.signal()
  }
}
