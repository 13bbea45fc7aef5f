internal import Foundation

package enum ProcessSignals {
  /// Unblocks all signals, and makes exceeding the file size limit a write error.
  package static func prepare() {
    // The process inherits a mask of blocked signals, which may include Ctrl-C and SIGTERM.
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
    // Exceeding the file size limit is a write error, like a full disk, and not fatal.
    signal(SIGXFSZ, SIG_IGN)
  }
}
