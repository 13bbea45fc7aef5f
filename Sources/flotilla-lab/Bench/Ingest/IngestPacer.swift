internal import Core
internal import Foundation
internal import Synchronization

/// Lets a driver send at a fixed rate, on a thread of its own, until stopped.
final class IngestPacer: Sendable {
  private let isOver = Mutex(false)
  private let paced = DispatchGroup()

  /// - Parameter rate: The batches per second from `start` on.
  init(_ driver: IngestDriver, at rate: Int, from start: WallInstant) {
    paced.enter()
    Thread.detachNewThread { [self] in
      ThreadUrgency.raise()
      driver.pace(rate, from: start) { !isOver.withLock { $0 } }
      paced.leave()
    }
  }

  func stop() {
    isOver.withLock { $0 = true }
    paced.wait()
  }
}
