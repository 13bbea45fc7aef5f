internal import Dispatch
internal import Synchronization

extension Array where Element: Sendable {
  /// Maps elements on all processors, in order. Worthwhile if each element takes milliseconds.
  package func concurrentMap<Output: Sendable>(
    _ transform: @Sendable (Element) -> Output
  ) -> [Output] {
    let outputs = Mutex([Output?](repeating: nil, count: count))
    DispatchQueue.concurrentPerform(iterations: count) { n in
      let output = transform(self[n])
      outputs.withLock { $0[n] = output }
    }
    return outputs.withLock { $0.compactMap(\.self) }
  }
}
