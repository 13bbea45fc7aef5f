internal import Foundation

/// Asks the system to prefer the calling thread.
///
/// A generator that is late measures itself: its sending loop and its pacer must run when their
/// instant comes, whatever else the machine does. Needs privileges on Linux; without them nothing
/// changes, and lateness is measured all the same.
package enum ThreadUrgency {
  /// -20 is the most a thread may ask for; half of it already outweighs ten ordinary threads.
  private static let niceness: Int32 = -10

  /// Raises the calling thread's priority on Linux; without the privilege it changes nothing.
  package static func raise() {
    #if os(Linux)
      // On Linux a process id of 0 means the calling thread, not its whole process.
      _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
    #endif
  }
}
