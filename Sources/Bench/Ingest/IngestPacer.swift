internal import Figures
internal import Foundation
internal import SimulationCore
internal import Synchronization
internal import Transport

/// Keeps a driver's pace on a thread of its own, until it is stopped.
final class IngestPacer: Sendable {
  private let isOver = Mutex(false)
  private let paced = DispatchGroup()

  /// - Parameters:
  ///   - rate: batches a second.
  ///   - start: when the first is due.
  init(_ driver: IngestDriver, at rate: Int, from start: WallInstant) {
    paced.enter()
    Thread.detachNewThread { [self] in
      ThreadUrgency.raise()
      driver.pace(rate, from: start) { !isOver.withLock { $0 } }
      paced.leave()
    }
  }

  /// Returns once no more is submitted. More than once is harmless.
  func stop() {
    isOver.withLock { $0 = true }
    paced.wait()
  }
}
