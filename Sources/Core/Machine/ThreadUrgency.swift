internal import Foundation

/// Raises the calling thread's priority, for sending loops and pacers, whose lateness would be
/// measured. Needs privileges on Linux; otherwise nothing changes.
package enum ThreadUrgency {
  /// Of at most -20; half of it already outweighs ten ordinary threads.
  private static let niceness: Int32 = -10

  package static func raise() {
    #if os(Linux)
      // On Linux a process id of 0 means the calling thread, not its whole process.
      _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
    #endif
  }
}
