internal import Foundation

/// Ends a child with its parent, however that ended: its standard input is a pipe that only the
/// parent keeps open.
package enum ParentWatch {
  /// Calls `whenGone`, on another thread, when the parent has ended.
  package static func begin(_ whenGone: @escaping @Sendable () -> Void) {
    Thread.detachNewThread {
      while !FileHandle.standardInput.availableData.isEmpty {}
      whenGone()
    }
  }
}
