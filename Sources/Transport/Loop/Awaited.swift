package import Dispatch
internal import Synchronization

/// Values that one thread waits for and another thread provides.
package final class Awaited<Value: Sendable>: Sendable {
  private let values: Mutex<[Value?]>
  private let left = DispatchSemaphore(value: 0)
  private let count: Int

  package init(_ count: Int = 1) {
    self.count = count
    values = Mutex(Array(repeating: nil, count: count))
  }

  package func set(_ value: Value, at place: Int = 0) {
    values.withLock { $0[place] = value }
    left.signal()
  }

  package func wait(until limit: DispatchTime = .distantFuture) -> [Value] {
    for _ in 0..<count where left.wait(timeout: limit) == .timedOut { break }
    return values.withLock { $0.compactMap(\.self) }
  }
}
