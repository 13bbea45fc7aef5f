internal import Foundation

/// Ends a child process with its parent: only the parent keeps the pipe to its input open.
package enum ParentWatch {
  /// Calls `whenGone`, on another thread, when the parent has ended.
  package static func begin(_ whenGone: @escaping @Sendable () -> Void) {
    Thread.detachNewThread {
      while !FileHandle.standardInput.availableData.isEmpty {}
      whenGone()
    }
  }
}
