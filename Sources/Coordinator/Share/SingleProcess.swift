package import SimulationCore
internal import Synchronization

/// Carries out a run in one process, which has all phones and waits for no other.
package final class SingleProcess: ShareLink {
  package let place = SharePlace.alone
  private let startsIn: (@Sendable () -> WallDuration)?
  private let interval = Mutex<ShareInterval?>(nil)

  /// Makes the link of a run that has no other process.
  ///
  /// - Parameter startsIn: returns the time that is left to the instant at which the live part
  ///   begins; nil where it begins as soon as the fleet is ready.
  package init(startsIn: (@Sendable () -> WallDuration)? = nil) { self.startsIn = startsIn }

  package func exchange<Value: Codable & Sendable>(_ mine: Value) -> [Value?] { [mine] }

  package func startInstant(
    in lead: WallDuration, wall: @Sendable () -> WallInstant
  ) -> WallInstant { wall() + (startsIn?() ?? lead) }

  package func post(_ interval: ShareInterval?) { self.interval.withLock { $0 = interval } }

  package func takeInterval() -> ShareInterval? {
    interval.withLock { interval in
      defer { interval = nil }
      return interval
    }
  }

  /// Does nothing: there is no other process to stop.
  package func stop() {}

  package var isStopped: Bool { false }

  package func end(_ mine: ShareEnd) -> [ShareEnd] { [mine] }
}
