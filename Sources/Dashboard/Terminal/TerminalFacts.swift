internal import CNcurses
internal import Foundation

/// What decides how a run can show itself, as found in the environment.
package struct TerminalFacts: Equatable, Sendable {
  /// Is true where standard input is a terminal.
  package var isInputTerminal: Bool
  /// Is true where standard output is a terminal.
  package var isOutputTerminal: Bool
  /// Is the value of TERM; empty where it is not set.
  package var term: String
  /// Is true where CI is set and not empty.
  package var isCI: Bool
  /// NO_COLOR, set and not empty.
  package var refusesColors: Bool
  /// Names the character encoding of the locale, such as `UTF-8`.
  package var codeset: String

  /// Makes facts from values instead of from the environment.
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

  /// Of this process.
  package static func current() -> TerminalFacts {
    let environment = ProcessInfo.processInfo.environment
    return TerminalFacts(
      isInputTerminal: isatty(STDIN_FILENO) == 1, isOutputTerminal: isatty(STDOUT_FILENO) == 1,
      term: environment["TERM"] ?? "", isCI: !(environment["CI"] ?? "").isEmpty,
      refusesColors: !(environment["NO_COLOR"] ?? "").isEmpty,
      codeset: String(cString: flotilla_codeset()))
  }

  /// How large the terminal is on standard output; nil: there is none, or it does not say.
  package static var size: Size? {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Size(columns: Int(size.ws_col), rows: Int(size.ws_row))
  }

  /// Why no screen can be shown here, as a sentence; nil: it can.
  package var obstacle: String? {
    if !isInputTerminal || !isOutputTerminal { return "standard input or output is no terminal" }
    if ["", "dumb"].contains(term) { return "TERM is '\(term)': it can only print lines" }
    return nil
  }

  /// A locale without UTF-8, or the Linux console, whose fonts lack block elements.
  package var needsASCII: Bool {
    codeset.uppercased().replacing("-", with: "") != "UTF8" || term == "linux"
  }
}
