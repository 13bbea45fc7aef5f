/// Sends bytes between processes, in order, without loss while both are alive. For one thread.
package protocol RankPort: AnyObject, SendableMetatype {
  var rank: Int { get }
  var size: Int { get }

  func send(_ bytes: [UInt8], to rank: Int)

  /// Returns the next message that has arrived, without bytes if only a piece has; nil if nothing
  /// has. Never waits for the rest of a message.
  func receive() -> (from: Int, bytes: [UInt8]?)?

  /// Advances messages in flight; returns true while there are any.
  func isSending() -> Bool

  /// Waits until the others leave as well.
  func leave()
}
