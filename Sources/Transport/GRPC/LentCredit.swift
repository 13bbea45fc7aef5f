/// What of a connection's window is given back before the calls that took it are answered.
///
/// Messages that are not whole may hold half of the window: what they hold beyond it is lent, so
/// that long messages, each of which waits for its rest, cannot fill the window and wait for each
/// other. A call that ends pays back what those that are still in parts do not need.
///
///     held back from the client = in parts + whole and not answered − lent
///
/// Once all whole messages are answered this is half of the window at most, and HTTP/2's credit is
/// announced from half of it on, so that the client can always go on.
///
/// Pure: it counts bytes, and its carrier gives the credit.
struct LentCredit {
  private var bytes = 0

  /// What must be lent at least while messages that are not whole hold `inParts`.
  private static func needed(_ inParts: Int, _ window: Int) -> Int { max(0, inParts - window / 2) }

  /// More has come of messages that are not whole; returns what is to be credited for it.
  mutating func lend(inParts: Int, window: Int) -> Int {
    let due = max(0, Self.needed(inParts, window) - bytes)
    bytes += due
    return due
  }

  /// Calls that took `count` bytes have ended; returns what is to be credited for them.
  ///
  /// - Parameter inParts: what messages hold that are not whole, those calls' no more among it.
  mutating func ended(_ count: Int, inParts: Int, window: Int) -> Int {
    let paidBack = min(count, max(0, bytes - Self.needed(inParts, window)))
    bytes -= paidBack
    return count - paidBack
  }
}
