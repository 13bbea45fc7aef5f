internal import Foundation

/// A process that another one started ends when that one does, however it ended: its standard input
/// is a pipe that only the parent holds open.
package enum ParentWatch {
  /// Calls `whenGone`, on a thread of its own, when the parent has ended.
  package static func begin(_ whenGone: @escaping @Sendable () -> Void) {
    Thread.detachNewThread {
      while !FileHandle.standardInput.availableData.isEmpty {}
      whenGone()
    }
  }
}
