internal import Synchronization

/// Stores the first identity that was violated at a snapshot; later violations are consequences.
final class ViolationLog: Sendable {
  private let first = Mutex<String?>(nil)
  func note(_ sentence: String) {
    first.withLock { $0 = $0 ?? "At a snapshot: \(sentence)" }
  }
  var sentences: [String] { first.withLock { $0 }.map { [$0] } ?? [] }
}
