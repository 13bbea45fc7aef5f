/// Sends bytes between processes, in order and without loss while both live. Used by one thread.
package protocol RankPort: AnyObject, SendableMetatype {
  var rank: Int { get }
  var size: Int { get }

  func send(_ bytes: [UInt8], to rank: Int)

  /// Returns the next message that has arrived; nil if there is none. `bytes` is nil if only a
  /// piece has arrived. Never waits for the rest of a message.
  func receive() -> (from: Int, bytes: [UInt8]?)?

  /// Advances messages in flight; returns whether any are still in flight.
  func isSending() -> Bool

  /// Leaves the job; waits until all other processes leave as well.
  func leave()
}
