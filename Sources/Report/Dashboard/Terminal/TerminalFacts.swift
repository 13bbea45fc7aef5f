internal import CNcurses
internal import Foundation

package struct TerminalFacts: Equatable, Sendable {
  package var isInputTerminal: Bool
  package var isOutputTerminal: Bool
  package var term: String
  /// CI, set and not empty.
  package var isCI: Bool
  /// NO_COLOR, set and not empty.
  package var refusesColors: Bool
  /// The locale's encoding, such as `UTF-8`.
  package var codeset: String

  package init(
    isInputTerminal: Bool, isOutputTerminal: Bool, term: String, isCI: Bool = false,
    refusesColors: Bool = false, codeset: String = "UTF-8"
  ) {
    self.isInputTerminal = isInputTerminal
    self.isOutputTerminal = isOutputTerminal
    self.term = term
    self.isCI = isCI
    self.refusesColors = refusesColors
    self.codeset = codeset
  }

  package static func current() -> TerminalFacts {
    let environment = ProcessInfo.processInfo.environment
    return TerminalFacts(
      isInputTerminal: isatty(STDIN_FILENO) == 1, isOutputTerminal: isatty(STDOUT_FILENO) == 1,
      term: environment["TERM"] ?? "", isCI: !(environment["CI"] ?? "").isEmpty,
      refusesColors: !(environment["NO_COLOR"] ?? "").isEmpty,
      codeset: String(cString: flotilla_codeset()))
  }

  /// The size of the terminal on standard output; nil if none or unknown.
  package static var size: Size? {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Size(columns: Int(size.ws_col), rows: Int(size.ws_row))
  }

  /// Why no screen can be shown, as a sentence, or nil.
  package var obstacle: String? {
    if !isInputTerminal || !isOutputTerminal { return "standard input or output is no terminal" }
    if ["", "dumb"].contains(term) { return "TERM is '\(term)': it can only print lines" }
    return nil
  }

  /// True for a locale without UTF-8, or the Linux console, whose fonts lack block elements.
  package var needsASCII: Bool {
    codeset.uppercased().replacing("-", with: "") != "UTF8" || term == "linux"
  }
}
