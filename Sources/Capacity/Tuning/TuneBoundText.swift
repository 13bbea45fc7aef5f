internal import Core
package import Figures
internal import Foundation

/// A bound as written on the command line, such as `battery<=2%/day`.
package struct TuneBoundText: Equatable, Sendable {
  package let figure: StudyFigure
  /// The limit in the figure's unit.
  package let limit: Double
  /// Whether the limit is a maximum rather than a minimum.
  package let isUpper: Bool

  private static let signs: [(String, Bool)] = [
    ("<=", true), ("≤", true), (">=", false), ("≥", false),
  ]

  package init(_ text: String) throws(TuneTextError) {
    let found = Self.signs.compactMap { sign, isUpper in
      text.range(of: sign).map { ($0, isUpper) }
    }.min { $0.0.lowerBound < $1.0.lowerBound }
    guard let (range, isUpper) = found else { throw .noSign(text) }
    let key = text[..<range.lowerBound].trimmingCharacters(in: .whitespaces)
    let written = text[range.upperBound...].trimmingCharacters(in: .whitespaces)
    guard let figure = StudyFigure(key: key) else { throw .noFigure(text, key) }
    guard let limit = figure.unit.value(of: written) else { throw .noValue(text, written, figure) }
    self.figure = figure
    self.limit = limit
    self.isUpper = isUpper
  }

  /// The bound for display, such as "battery ≤ 2 %/day".
  package var text: String { "\(figure.key) \(isUpper ? "≤" : "≥") \(figure.unit.bound(limit))" }
}

package enum TuneTextError: Error, Equatable, Sendable, CustomStringConvertible {
  case noSign(String)
  case noFigure(String, String)
  case noValue(String, String, StudyFigure)

  package var description: String {
    switch self {
    case .noSign(let text):
      "'\(text)' has no bound; write FIGURE<=VALUE or FIGURE>=VALUE, such as battery<=2%/day."
    case .noFigure(let text, let key):
      "'\(text)': there is no figure '\(key)'; they are "
        + "\(StudyFigure.searched.map(\.key).joined(separator: ", "))."
    case .noValue(let text, let written, let figure):
      "'\(text)': '\(written)' is not a value of \(figure.key); write one such as "
        + "\(figure.unit.bound(figure.unit == .share ? 0.6 : 2).replacing(" ", with: ""))."
    }
  }
}
