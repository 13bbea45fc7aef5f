internal import Synchronization

/// Stores the first violated identity of the ledger; later violations are its consequences.
final class ViolationLog: Sendable {
  private let first = Mutex<String?>(nil)
  func note(_ sentence: String) {
    first.withLock { $0 = $0 ?? "At a snapshot: \(sentence)" }
  }
  var sentences: [String] { first.withLock { $0 }.map { [$0] } ?? [] }
}
