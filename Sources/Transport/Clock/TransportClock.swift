package import Core
internal import Synchronization

/// The clock of a loop, its timers and its connections. An enum, not a protocol, since it is read
/// several times per call, and a known case costs one comparison.
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

/// A clock that moves only when advanced; may be read from any thread.
package final class ManualClock: Sendable {
  private let microseconds: Atomic<Int64>

  /// - Parameter start: an hour by default, so that instants before it exist.
  package init(at start: WallInstant = WallInstant(microseconds: 3_600_000_000)) {
    microseconds = Atomic(start.microseconds)
  }

  package var now: WallInstant {
    WallInstant(microseconds: microseconds.load(ordering: .relaxed))
  }

  /// Advances to `instant`; never moves back.
  package func advance(to instant: WallInstant) {
    microseconds.max(instant.microseconds, ordering: .relaxed)
  }
}
