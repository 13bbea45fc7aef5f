/// Credit of a connection's window that is returned before the calls that took it are answered.
///
/// Incomplete messages may hold half of the window; what they hold beyond is lent, so that long
/// messages cannot fill the window and wait for each other. A call that ends repays what the
/// remaining incomplete messages do not need.
///
/// held back from the client = in parts + whole and not answered − lent
///
/// Once all whole messages are answered this is half of the window at most, and HTTP/2 announces
/// credit from half of it on, so the client can always continue.
struct LentCredit {
  private var bytes = 0

  private static func needed(_ inParts: Int, _ window: Int) -> Int { max(0, inParts - window / 2) }

  mutating func lend(inParts: Int, window: Int) -> Int {
    let due = max(0, Self.needed(inParts, window) - bytes)
    bytes += due
    return due
  }

  /// Returns the credit for ended calls that took `count` bytes; `inParts` excludes them.
  mutating func ended(_ count: Int, inParts: Int, window: Int) -> Int {
    let paidBack = min(count, max(0, bytes - Self.needed(inParts, window)))
    bytes -= paidBack
    return count - paidBack
  }
}
