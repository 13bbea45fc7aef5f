internal import Foundation

/// What both programs ask of signals when they start.
package enum ProcessSignals {
  /// Takes every signal, and makes of a file that may not grow an error of its write.
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
