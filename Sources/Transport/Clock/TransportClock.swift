package import Core
internal import Synchronization

/// The clock of a loop, its timers and its connections. The type is an enum, not a protocol, since
/// the clock is read several times per call and an enum costs only a comparison.
package enum TransportClock: Sendable {
  case monotonic
  case manual(ManualClock)

  package var now: WallInstant {
    switch self {
    case .monotonic: MonotonicClock.now
    case .manual(let clock): clock.now
    }
  }
}

/// A clock that moves only when advanced, and that any thread may read.
package final class ManualClock: Sendable {
  private let microseconds: Atomic<Int64>

  /// - Parameter start: one hour by default, so that instants before the start exist.
  package init(at start: WallInstant = WallInstant(microseconds: 3_600_000_000)) {
    microseconds = Atomic(start.microseconds)
  }

  package var now: WallInstant {
    WallInstant(microseconds: microseconds.load(ordering: .relaxed))
  }

  /// Advances to `instant`, or does nothing if `instant` has passed.
  package func advance(to instant: WallInstant) {
    microseconds.max(instant.microseconds, ordering: .relaxed)
  }
}
