/// Credit of a connection's window that is returned before its calls are answered. Incomplete
/// messages may use half of the window; anything beyond is lent, so that they cannot fill it and
/// wait for each other. A call that ends repays what the remaining ones do not need.
///
///     held back from the client = in parts + complete and not answered − lent
///
/// After all answers this is at most half of the window, from which on HTTP/2 announces credit.
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
