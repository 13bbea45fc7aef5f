internal import Dispatch
internal import Synchronization

/// Does numbered jobs side by side, each on one of a few threads.
enum JobPool {
  /// Takes jobs in their order, and returns when all are done, or when it is to stop and those that
  /// had begun have ended.
  ///
  /// - Parameters:
  ///   - jobs: how many there are.
  ///   - workers: how many are done at a time.
  ///   - work: does the job of a number, on one of several threads; nil: it was not finished.
  /// - Returns: what came of each job that was finished, by its number.
  static func run<Result: Sendable>(
    _ jobs: Int, workers: Int, shouldStop: @Sendable () -> Bool,
    _ work: @Sendable (Int) -> Result?
  ) -> [Int: Result] {
    let next = Mutex(0)
    let finished = Mutex<[Int: Result]>([:])
    DispatchQueue.concurrentPerform(iterations: workers) { _ in
      while true {
        let taken: Int? = next.withLock { next in
          guard next < jobs, !shouldStop() else { return nil }
          defer { next += 1 }
          return next
        }
        guard let number = taken else { return }
        if let result = work(number) { finished.withLock { $0[number] = result } }
      }
    }
    return finished.withLock { $0 }
  }
}
