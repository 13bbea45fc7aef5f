internal import Synchronization

/// Stores the first identity of a run that was violated at a snapshot; later violations only repeat
/// it.
final class ViolationLog: Sendable {
  private let first = Mutex<String?>(nil)
  func note(_ sentence: String) {
    first.withLock { $0 = $0 ?? "At a snapshot: \(sentence)" }
  }
  var sentences: [String] { first.withLock { $0 }.map { [$0] } ?? [] }
}
