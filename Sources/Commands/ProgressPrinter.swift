internal import Core
internal import Foundation
internal import Synchronization
internal import Transport

/// Shows progress: on a terminal one line rewritten in place, otherwise a line per interval.
package final class ProgressPrinter: Sendable {
  private let console: Console
  private let isSilent: Bool
  private let isTerminal: Bool
  /// The last line's width on a terminal, else its tenths of the whole (`percent`) and its instant.
  private let last = Mutex((percent: -1, width: 0, at: MonotonicClock.now))
  /// The maximum wall-clock seconds between two lines without a terminal.
  private static let longestSilence = 5.0

  /// - Parameter rewrites: whether to rewrite one line on a terminal.
  package init(_ console: Console, isQuiet: Bool = false, rewrites: Bool = true) {
    self.console = console
    isSilent = isQuiet
    isTerminal = rewrites && console.surroundings.areErrorsTerminal
  }

  package func line(_ text: String) {
    guard !isSilent else { return }
    close()
    console.line(text)
  }

  package func close() {
    let width = last.withLock { last in
      defer { last = (-1, 0, MonotonicClock.now) }
      return last.width
    }
    if width > 0 { FileHandle.standardError.write(Data("\n".utf8)) }
  }

  /// - Parameter share: the completed share, 0 ... 1.
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
      // Without a terminal: a line every 10 %, or every few seconds if 10 % take longer.
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
