internal import Foundation

/// Watches a child's standard input, a pipe that only the parent holds open.
package enum ParentWatch {
  /// Calls `whenGone`, on another thread, when the parent has ended.
  package static func begin(_ whenGone: @escaping @Sendable () -> Void) {
    Thread.detachNewThread {
      while !FileHandle.standardInput.availableData.isEmpty {}
      whenGone()
    }
  }
}
