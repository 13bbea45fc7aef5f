internal import Figures
internal import Foundation
internal import SimulationCore
internal import Synchronization
internal import Transport

/// Shows how far a run is: a line rewritten in place on a terminal, one stable line an interval
/// elsewhere.
package final class ProgressPrinter: Sendable {
  private let console: Console
  private let isSilent: Bool
  private let isTerminal: Bool
  /// Percent last printed for virtual time, and when, off a terminal; width of the line on one.
  private let last = Mutex((percent: -1, width: 0, at: MonotonicClock.now))
  /// Is the longest silence off a terminal, in seconds.
  private static let longestSilence = 5.0

  /// - Parameter rewrites: on a terminal, one line is written again and again.
  package init(_ console: Console, isQuiet: Bool = false, rewrites: Bool = true) {
    self.console = console
    isSilent = isQuiet
    isTerminal = rewrites && isatty(STDERR_FILENO) == 1
  }

  /// Prints a whole line, below the rewritten one.
  package func line(_ text: String) {
    guard !isSilent else { return }
    close()
    console.line(text)
  }

  /// Leaves the rewritten line.
  package func close() {
    let width = last.withLock { last in
      defer { last = (-1, 0, MonotonicClock.now) }
      return last.width
    }
    if width > 0 { FileHandle.standardError.write(Data("\n".utf8)) }
  }

  /// Shows a line of progress, where `share` of all, 0 ... 1, is done.
  package func show(_ text: String, share: Double) {
    guard !isSilent else { return }
    let text = ForeignText.inLine(text)
    if isTerminal {
      let padded = last.withLock { last in
        let pad = String(repeating: " ", count: max(0, last.width - text.count))
        last.width = text.count
        return "\r" + text + pad
      }
      FileHandle.standardError.write(Data(padded.utf8))
    } else {
      // Off a terminal: a line each ten percent, and every few seconds where those take longer.
      let percent = Int(share * 10)
      let isNew = last.withLock { last in
        let now = MonotonicClock.now
        let silence = (now - last.at).seconds
        guard percent != last.percent || silence >= Self.longestSilence else { return false }
        last.percent = percent
        last.at = now
        return true
      }
      if isNew { console.printError(text) }
    }
  }
}
