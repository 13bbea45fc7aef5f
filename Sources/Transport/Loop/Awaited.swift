package import Dispatch
internal import Synchronization

/// Values that another thread gives, for which one waits.
package final class Awaited<Value: Sendable>: Sendable {
  private let values: Mutex<[Value?]>
  private let left = DispatchSemaphore(value: 0)
  private let count: Int

  /// Makes the place of so many values.
  package init(_ count: Int = 1) {
    self.count = count
    values = Mutex(Array(repeating: nil, count: count))
  }

  /// Gives one of the values.
  package func set(_ value: Value, at place: Int = 0) {
    values.withLock { $0[place] = value }
    left.signal()
  }

  /// Waits for all values, and returns those that have come by an instant.
  package func wait(until limit: DispatchTime = .distantFuture) -> [Value] {
    for _ in 0..<count where left.wait(timeout: limit) == .timedOut { break }
    return values.withLock { $0.compactMap(\.self) }
  }
}
