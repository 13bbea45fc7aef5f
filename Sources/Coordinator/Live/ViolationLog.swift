internal import Synchronization

/// Identities that did not hold at some snapshot. The first of a run tells it; the numbers in
/// later ones only repeat it.
final class ViolationLog: Sendable {
  private let first = Mutex<String?>(nil)
  func note(_ sentence: String) {
    first.withLock { $0 = $0 ?? "At a snapshot: \(sentence)" }
  }
  var sentences: [String] { first.withLock { $0 }.map { [$0] } ?? [] }
}
