package import Processes
package import SimulationCore
internal import Synchronization

/// Is the link of a process that hears of no other: it waits for nobody, and what it saw and leaves
/// is its own alone.
package protocol LoneProcess: ShareLink {
  /// Holds when the live part begins, and the second that was posted last.
  var seconds: OwnSeconds { get }
}

/// Holds what a process that hears of no other needs of a live part's time.
package final class OwnSeconds: Sendable {
  private let startsIn: (@Sendable () -> WallDuration)?
  private let interval = Mutex<ShareInterval?>(nil)

  /// - Parameter startsIn: returns the time that is left to the instant at which the live part
  ///   begins; nil where it begins as soon as the fleet is ready.
  init(startsIn: (@Sendable () -> WallDuration)?) { self.startsIn = startsIn }

  fileprivate func start(in lead: WallDuration) -> WallDuration { startsIn?() ?? lead }

  fileprivate func post(_ interval: ShareInterval?) { self.interval.withLock { $0 = interval } }

  fileprivate func take() -> ShareInterval? {
    interval.withLock { interval in
      defer { interval = nil }
      return interval
    }
  }
}

extension LoneProcess {
  /// Gives each process the values of all: its own alone.
  package func exchange<Value: Codable & Sendable>(_ mine: Value) -> [Value?] {
    (0..<place.count).map { $0 == place.number ? mine : nil }
  }

  /// Returns the instant at which the live part begins: what is left to it from now.
  package func startInstant(
    in lead: WallDuration, wall: @Sendable () -> WallInstant
  ) -> WallInstant { wall() + seconds.start(in: lead) }

  /// Takes what this process saw of a second, for itself.
  package func post(_ interval: ShareInterval?) { seconds.post(interval) }

  /// Returns the earliest second that no call has returned: its own.
  package func takeInterval() -> ShareInterval? { seconds.take() }

  /// Does nothing: no other process would hear of it.
  package func stop() {}

  /// Is true once another process has asked for an early end, which nobody can.
  package var isStopped: Bool { false }

  /// Ends this process's part of the run: its own is all there is.
  package func end(_ mine: ShareEnd) -> [ShareEnd] { [mine] }
}
