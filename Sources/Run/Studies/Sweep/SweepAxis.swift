package import Figures
internal import Foundation
internal import Scenarios

/// One setting of a scenario with its values.
package typealias SweepAxis = SweepRecord.Axis

extension SweepAxis {
  /// The maximum number of values of an axis and of points of a grid.
  package static let pointsMax = 200

  /// Reads a setting and its values:
  ///
  /// push.silentAfter=15min..4h:6       six values, equally far apart, both ends among them
  /// push.silentAfter=15min..4h:6log    each a constant factor above the previous value
  /// push.scheduler=fixed,adaptive      these values; a {map} or [list] is one value
  ///
  /// The inner values of a range are rounded for readability, by at most a twentieth of a step.
  /// Integers stay integers if the steps allow it. Values that do not rise have no places.
  package init(_ text: String) throws(SweepAxisError) {
    guard let equals = text.firstIndex(of: "=") else { throw .noEquals(text) }
    let key = text[..<equals].trimmingCharacters(in: .whitespaces)
    let written = text[text.index(after: equals)...].trimmingCharacters(in: .whitespaces)
    guard !key.isEmpty else { throw .noKey(text) }
    guard !written.isEmpty else { throw .noValues(text) }
    if Self.isRange(written) {
      try self.init(key: key, range: written, text)
    } else {
      try self.init(key: key, list: written, text)
    }
  }

  // MARK: Lists

  private init(key: String, list: String, _ text: String) throws(SweepAxisError) {
    guard let values = Self.split(list) else { throw .openBracket(text) }
    if values.contains("") { throw .emptyValue(text) }
    if let twice = values.indices.first(where: { values[..<$0].contains(values[$0]) }) {
      throw .sameValue(text, values[twice])
    }
    guard values.count > 1 else { throw .onePoint(text) }
    self.init(key: key, values: values, places: Self.places(values), isGeometric: false)
  }

  /// Splits at commas outside brackets and quotes; nil if a bracket or quote is left open.
  private static func split(_ list: String) -> [String]? {
    var values: [String] = []
    var value = ""
    var depth = 0
    var quote: Character?
    for character in list {
      if character == ",", depth == 0, quote == nil {
        values.append(value)
        value = ""
        continue
      }
      value.append(character)
      if let open = quote {
        if character == open { quote = nil }
      } else if character == "\"" || character == "'" {
        quote = character
      } else if "{[".contains(character) {
        depth += 1
      } else if "}]".contains(character) {
        depth -= 1
      }
    }
    guard depth == 0, quote == nil else { return nil }
    return (values + [value]).map { $0.trimmingCharacters(in: .whitespaces) }
  }

  private static func places(_ values: [String]) -> [Double]? {
    let read = values.compactMap { WrittenQuantity($0) }
    guard read.count == values.count, Set(read.map(\.kind)).count == 1 else { return nil }
    let places = read.map(\.value)
    return zip(places, places.dropFirst()).allSatisfy { $0 < $1 } ? places : nil
  }

  // MARK: Ranges

  /// Returns whether a text is a range, which begins with a number, unlike a path `../data/*.gpx`.
  private static func isRange(_ written: String) -> Bool {
    guard let dots = written.range(of: ".."), let first = written.first else { return false }
    return "0123456789.+-".contains(first) && dots.lowerBound > written.startIndex
      && !written[..<dots.lowerBound].contains(",")
  }

  private init(key: String, range: String, _ text: String) throws(SweepAxisError) {
    guard let dots = range.range(of: "..") else { throw .noCount(text) }
    let rest = range[dots.upperBound...]
    guard let colon = rest.lastIndex(of: ":") else { throw .noCount(text) }
    let from = range[..<dots.lowerBound].trimmingCharacters(in: .whitespaces)
    let to = rest[..<colon].trimmingCharacters(in: .whitespaces)
    let counted = rest[rest.index(after: colon)...].trimmingCharacters(in: .whitespaces)
    let isGeometric = counted.hasSuffix("log")
    guard let count = Int(isGeometric ? String(counted.dropLast(3)) : counted) else {
      throw .badCount(text, counted)
    }
    guard let low = WrittenQuantity(from) else { throw .badEnd(text, from) }
    guard let high = WrittenQuantity(to) else { throw .badEnd(text, to) }
    guard low.kind == high.kind else { throw .differentKinds(text, from, to) }
    guard count > 1 else { throw .onePoint(text) }
    guard count <= Self.pointsMax else { throw .tooManyPoints(count) }
    guard low.value < high.value else { throw .notRising(text) }
    guard !isGeometric || low.value > 0 else { throw .geometricFromZero(text) }
    let inner = Self.inner(low, high, count: count, isGeometric: isGeometric)
    let values = [from] + inner.map { low.finer(high).text(of: $0) } + [to]
    // Equal values mean that the steps are finer than a scenario's precision.
    guard Set(values).count == count else { throw .tooFine(text) }
    self.init(
      key: key, values: values, places: [low.value] + inner + [high.value],
      isGeometric: isGeometric)
  }

  private static func inner(
    _ low: WrittenQuantity, _ high: WrittenQuantity, count: Int, isGeometric: Bool
  ) -> [Double] {
    let raw = (0..<count).map { step -> Double in
      let share = Double(step) / Double(count - 1)
      return isGeometric
        ? low.value * pow(high.value / low.value, share)
        : low.value + (high.value - low.value) * share
    }
    return raw.indices.dropFirst().dropLast().map { i in
      let gap = min(raw[i] - raw[i - 1], raw[i + 1] - raw[i])
      let grain = grain(low, high, gap: gap)
      return (raw[i] / grain).rounded() * grain
    }
  }

  private static func grain(
    _ low: WrittenQuantity, _ high: WrittenQuantity, gap: Double
  ) -> Double {
    let isWhole = low.value == low.value.rounded() && high.value == high.value.rounded()
    if low.kind == .number, isWhole, gap >= 1 {
      return max(1, oneOrFive(atMost: gap / 10))
    }
    if low.kind == .time {
      return timeGrains.last { $0 <= gap / 10 } ?? 1
    }
    let unit = low.finer(high).unit
    return oneOrFive(atMost: gap / 10 / unit) * unit
  }

  private static func oneOrFive(atMost limit: Double) -> Double {
    let power = pow(10, floor(log10(limit)))
    // The digit 2 is excluded, so that 550 stays unchanged. A value just above the limit counts as
    // the limit.
    return (5 * power <= limit * 1.000_001 ? 5 : 1) * power
  }

  /// The customary steps of time, in microseconds.
  private static let timeGrains: [Double] =
    [1, 5, 10, 50, 100, 500].flatMap { [$0, $0 * 1e3] }.sorted()
    + [1, 5, 10, 30, 60, 300, 600, 1_800, 3_600, 21_600, 43_200, 86_400].map { $0 * 1e6 }
}

extension WrittenQuantity {
  fileprivate func finer(_ other: WrittenQuantity) -> WrittenQuantity {
    unit <= other.unit ? self : other
  }
}

package enum SweepAxisError: Error, Equatable, Sendable {
  case noEquals(String)
  case noKey(String)
  case noValues(String)
  case openBracket(String)
  case emptyValue(String)
  case sameValue(String, String)
  case sameKey(String)
  case onePoint(String)
  case noCount(String)
  case badCount(String, String)
  case badEnd(String, String)
  case differentKinds(String, String, String)
  case notRising(String)
  case geometricFromZero(String)
  case tooFine(String)
  case tooManyPoints(Int)
}

extension SweepAxisError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .noEquals(let text):
      "--sweep \(text): has no '='; write KEY=A..B:N or KEY=V1,V2,…."
    case .noKey(let text):
      "--sweep \(text): has no key before '='; write one such as push.silentAfter."
    case .noValues(let text):
      "--sweep \(text): has no value after '='; write A..B:N or V1,V2,…."
    case .openBracket(let text):
      "--sweep \(text): unbalanced bracket or quote."
    case .emptyValue(let text):
      "--sweep \(text): has an empty value; write V1,V2,…."
    case .sameValue(let text, let value):
      "--sweep \(text): '\(value)' is listed twice; remove one."
    case .sameKey(let key):
      "--sweep \(key): is given twice; write all its values in one --sweep."
    case .onePoint(let text):
      "--sweep \(text): has only one point; give two or more, or use --set."
    case .noCount(let text):
      "--sweep \(text): lacks the number of points; write A..B:N, such as 15min..4h:6."
    case .badCount(let text, let count):
      "--sweep \(text): '\(count)' is not a number of points; write A..B:N, or A..B:Nlog."
    case .badEnd(let text, let end):
      "--sweep \(text): '\(end)' is not a number with a unit, such as 15min, 500m, 20% or 3."
    case .differentKinds(let text, let from, let to):
      "--sweep \(text): '\(from)' and '\(to)' differ in kind; give both the same kind of unit."
    case .notRising(let text):
      "--sweep \(text): does not increase; write the smaller end first."
    case .geometricFromZero(let text):
      "--sweep \(text): a logarithmic range must start above zero; omit 'log'."
    case .tooFine(let text):
      "--sweep \(text): its points are not distinct; use fewer."
    case .tooManyPoints(let count):
      """
      --sweep: \(count) points, the maximum is \(SweepAxis.pointsMax); give a range fewer points, \
      or sweep one key after the other.
      """
    }
  }
}
