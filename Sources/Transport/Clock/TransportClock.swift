package import SimulationCore
internal import Synchronization

/// The clock that a loop, its timers and its connections read.
///
/// An enum and not a protocol: a loop reads its clock several times a call, and a known case costs
/// a comparison.
package enum TransportClock: Sendable {
  /// The machine's.
  case monotonic
  /// A test's.
  case manual(ManualClock)

  /// Reads the clock; may be called from any thread.
  package var now: WallInstant {
    switch self {
    case .monotonic: MonotonicClock.now
    case .manual(let clock): clock.now
    }
  }
}

/// A clock that stands still until it is moved; may be read from any thread.
package final class ManualClock: Sendable {
  private let microseconds: Atomic<Int64>

  /// - Parameter start: an hour by default, so that instants before it exist.
  package init(at start: WallInstant = WallInstant(microseconds: 3_600_000_000)) {
    microseconds = Atomic(start.microseconds)
  }

  /// Is the instant to which the clock was last moved.
  package var now: WallInstant {
    WallInstant(microseconds: microseconds.load(ordering: .relaxed))
  }

  /// Moves on to `instant`; never back.
  package func advance(to instant: WallInstant) {
    microseconds.max(instant.microseconds, ordering: .relaxed)
  }
}
