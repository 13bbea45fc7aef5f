package struct LogDiagnostic: Equatable, Sendable {
  package var file: String
  /// The line on which the row begins, from 1.
  package var line: Int
  package var text: String

  package var description: String { "\(file):\(line): \(text)" }
}

package enum LogError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The columns are not those of a log, or `--columns` is wrong.
  case columns(String)
  case format(String)
  case rows([LogDiagnostic], count: Int)
  case empty(String)

  static let shownMax = 20

  package var description: String {
    switch self {
    case .columns(let text): return text
    case .format(let text): return text
    case .empty(let text): return text
    case .rows(let diagnostics, let count):
      var lines = diagnostics.map(\.description)
      if count > diagnostics.count {
        lines.append("… and \(count - diagnostics.count) more lines.")
      }
      lines.append("Use --skip-bad-lines to skip and count such lines.")
      return lines.joined(separator: "\n")
    }
  }
}
