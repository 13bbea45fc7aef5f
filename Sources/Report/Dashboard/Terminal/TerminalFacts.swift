internal import CNcurses
internal import Foundation

package struct TerminalFacts: Equatable, Sendable {
  package var isInputTerminal: Bool
  package var isOutputTerminal: Bool
  package var term: String
  /// Whether the variable CI is set and not empty.
  package var isCI: Bool
  /// Whether the variable NO_COLOR is set and not empty, or FLOTILLA_NO_COLOR is on.
  package var refusesColors: Bool
  /// The encoding of the locale, such as `UTF-8`.
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
      refusesColors: !(environment["NO_COLOR"] ?? "").isEmpty
        || ["1", "true", "yes", "on"].contains(environment["FLOTILLA_NO_COLOR"]?.lowercased()),
      codeset: String(cString: flotilla_codeset()))
  }

  /// The size of the terminal on standard output; nil if unknown or without a terminal.
  package static var size: Size? {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Size(columns: Int(size.ws_col), rows: Int(size.ws_row))
  }

  /// The reason why no screen can be shown; nil if a screen is possible.
  package var obstacle: String? {
    if !isInputTerminal || !isOutputTerminal { return "standard input or output is no terminal" }
    if ["", "dumb"].contains(term) { return "TERM is '\(term)': it can only print lines" }
    return nil
  }

  /// Whether to draw in ASCII: without UTF-8, or on the Linux console, which lacks block glyphs.
  package var needsASCII: Bool {
    codeset.uppercased().replacing("-", with: "") != "UTF8" || term == "linux"
  }
}
