internal import Foundation

package enum ProcessSignals {
  /// Unblocks all signals, and turns a file over its size limit into a write error.
  package static func prepare() {
    // A parent that starts us from a thread with blocked signals hands its mask down, and neither
    // Ctrl-C nor SIGTERM would ever arrive.
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
    // A limit on the size of files shall be an error of a write, as a full disk is, not the end.
    signal(SIGXFSZ, SIG_IGN)
  }
}
