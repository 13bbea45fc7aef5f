/// Carries bytes between the processes of a run. Used by one thread.
///
/// Messages from one process to another arrive in order. None is lost while both are alive.
package protocol RankPort: AnyObject, SendableMetatype {
  var rank: Int { get }
  /// The number of processes.
  var size: Int { get }

  func send(_ bytes: [UInt8], to rank: Int)

  /// Returns the next message that has arrived, without bytes if only a piece has; nil if nothing
  /// has. Never waits for the rest of a message.
  func receive() -> (from: Int, bytes: [UInt8]?)?

  /// Progresses messages in flight; returns true while there are any.
  func isSending() -> Bool

  /// Waits until the others leave, too.
  func leave()
}
