package import Figures
internal import Foundation

/// Is a figure that a search can make better or keep within a bound: one of those by which policies
/// are compared.
package struct TuneFigure: Hashable, Sendable {
  /// Is the figure.
  package let measure: ComparedMeasure

  /// Holds all figures, in reading order: those that are quotients of sums over phones.
  package static let all: [TuneFigure] =
    [
      .freshness, .freshnessMoving, .located, .never, .errorMean, .staysMissed, .staysInvented,
      .battery, .fixes, .batches, .bytes, .wakes, .pushes,
    ].map { TuneFigure($0) }

  private init(_ measure: ComparedMeasure) { self.measure = measure }

  /// Finds a figure by its key; nil: there is none.
  package init?(key: String) {
    guard let figure = Self.all.first(where: { $0.key == key }) else { return nil }
    self = figure
  }

  /// Is the figure's name on the command line and in files.
  package var key: String { measure.key }

  /// Names the phones that the figure is of: what a server knows, and pushes, of those that it can
  /// reach; what phones spend, of all.
  package var population: ComparisonRecord.Population {
    switch measure {
    case .freshness, .freshnessMoving, .located, .never, .errorMean, .errorMedian, .errorP95,
      .staysMissed, .staysInvented, .pushes, .stale:
      .reachable
    case .battery, .fixes, .batches, .bytes, .wakes, .wakesBy: .installed
    }
  }

  /// Writes a value with its unit: "61.2 %", "1.24 %/day", "3.8/day".
  package func text(_ value: Double) -> String {
    switch measure.unit {
    case .share: Figure.percent(value)
    case .meters: "\(Figure.quantity(value)) m"
    case .percentPerDay: "\(Figure.quantity(value)) %/day"
    case .perDay: "\(Figure.quantity(value))/day"
    case .bytesPerDay: "\(Figure.quantity(value / 1_000)) kB/day"
    case .minutesPerDay: "\(Figure.quantity(value)) min/day"
    }
  }

  /// Reads a value as a bound has it: `2%/day` or `2%` of a battery, `4/day`, `60%`, `200m`,
  /// `30kB/day`; nil: not that.
  package func value(of text: String) -> Double? {
    var text = text.replacing(" ", with: "")
    func drop(_ suffix: String) -> Bool {
      guard text.hasSuffix(suffix) else { return false }
      text.removeLast(suffix.count)
      return true
    }
    var factor = 1.0
    switch measure.unit {
    case .share: factor = drop("%") ? 0.01 : 1
    case .meters:
      if drop("km") { factor = 1_000 } else { _ = drop("m") }
    case .percentPerDay:
      _ = drop("/day")
      _ = drop("%")
    case .perDay: _ = drop("/day")
    case .bytesPerDay:
      _ = drop("/day")
      factor = drop("kB") ? 1e3 : drop("MB") ? 1e6 : 1
      if factor == 1 { _ = drop("B") }
    case .minutesPerDay:
      _ = drop("/day")
      _ = drop("min")
    }
    guard let number = Double(text), number.isFinite, number >= 0 else { return nil }
    return number * factor
  }
}

/// Is a bound as the command line has it: `battery<=2%/day`.
package struct TuneBoundText: Equatable, Sendable {
  /// Is the figure that is bounded.
  package let figure: TuneFigure
  /// Is the bound, in the figure's unit.
  package let limit: Double
  /// Is true where the figure may not be greater.
  package let isUpper: Bool

  private static let signs: [(String, Bool)] = [
    ("<=", true), ("≤", true), (">=", false), ("≥", false),
  ]

  /// Reads a bound; throws what is wrong with the text.
  package init(_ text: String) throws(TuneTextError) {
    let found = Self.signs.compactMap { sign, isUpper in
      text.range(of: sign).map { ($0, isUpper) }
    }.min { $0.0.lowerBound < $1.0.lowerBound }
    guard let (range, isUpper) = found else { throw .noSign(text) }
    let key = text[..<range.lowerBound].trimmingCharacters(in: .whitespaces)
    let written = text[range.upperBound...].trimmingCharacters(in: .whitespaces)
    guard let figure = TuneFigure(key: key) else { throw .noFigure(text, key) }
    guard let limit = figure.value(of: written) else { throw .noValue(text, written, figure) }
    self.figure = figure
    self.limit = limit
    self.isUpper = isUpper
  }

  /// Writes it as people read it: "battery ≤ 2 %/day".
  package var text: String { "\(figure.key) \(isUpper ? "≤" : "≥") \(figure.text(limit))" }
}

/// Says what is wrong with a goal or a bound, and what to write.
package enum TuneTextError: Error, Equatable, Sendable, CustomStringConvertible {
  case noSign(String)
  case noFigure(String, String)
  case noValue(String, String, TuneFigure)

  /// Quotes the text, says what is wrong with it and what to write.
  package var description: String {
    switch self {
    case .noSign(let text):
      "'\(text)' has no bound; write FIGURE<=VALUE or FIGURE>=VALUE, such as battery<=2%/day."
    case .noFigure(let text, let key):
      "'\(text)': there is no figure '\(key)'; they are "
        + "\(TuneFigure.all.map(\.key).joined(separator: ", "))."
    case .noValue(let text, let written, let figure):
      "'\(text)': '\(written)' is not a value of \(figure.key); write one such as "
        + "\(figure.text(figure.measure.unit == .share ? 0.6 : 2).replacing(" ", with: ""))."
    }
  }
}
