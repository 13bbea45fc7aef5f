/// Carries bytes between the processes of a run. Used by one thread.
///
/// Messages from one process to another arrive in the order of sending. None is lost while both
/// live; a process that dies says nothing.
package protocol RankPort: AnyObject, SendableMetatype {
  /// Numbers this process from 0.
  var rank: Int { get }
  /// The number of processes.
  var size: Int { get }

  /// Sends a message without waiting.
  func send(_ bytes: [UInt8], to rank: Int)

  /// Returns the next message that has arrived, or without bytes the sign that a piece of one has;
  /// nil where nothing has. Never waits for the rest of a message.
  func receive() -> (from: Int, bytes: [UInt8]?)?

  /// Lets messages on their way go on; true while there are any.
  func isSending() -> Bool

  /// Leaves the others; waits until they leave, too.
  func leave()
}
