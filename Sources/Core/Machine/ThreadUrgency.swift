internal import Foundation

/// Raises the calling thread's priority, for threads whose lateness would be measured: sending
/// loops and pacers. Works on Linux with privileges; otherwise nothing changes.
package enum ThreadUrgency {
  /// Half of the highest priority (-20), which already outweighs nine ordinary threads.
  private static let niceness: Int32 = -10

  package static func raise() {
    #if os(Linux)
      // On Linux a process id of 0 means the calling thread, not its whole process.
      _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
    #endif
  }
}
