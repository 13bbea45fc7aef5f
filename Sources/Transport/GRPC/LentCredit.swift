/// Credit of a connection's window that is returned before the calls are answered. Incomplete
/// messages may use half of the window. The server lends credit beyond that half, so that messages
/// cannot block each other. A call that ends repays credit that other calls do not need.
///
///     held back from the client = in parts + complete and not answered − lent
///
/// After all answers at most half of the window is held back: nghttp2 announces no less than half.
struct LentCredit {
  private var bytes = 0

  private static func needed(_ inParts: Int, _ window: Int) -> Int { max(0, inParts - window / 2) }

  mutating func lend(inParts: Int, window: Int) -> Int {
    let due = max(0, Self.needed(inParts, window) - bytes)
    bytes += due
    return due
  }

  /// Returns the credit to give back for ended calls of `count` bytes, which `inParts` excludes.
  mutating func ended(_ count: Int, inParts: Int, window: Int) -> Int {
    let paidBack = min(count, max(0, bytes - Self.needed(inParts, window)))
    bytes -= paidBack
    return count - paidBack
  }
}
