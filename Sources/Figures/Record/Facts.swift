internal import Foundation

/// The run record by its keys, for sentences whose every number names where it comes from.
///
/// A number of an answer or of a report's first screen is never computed from the record's Swift
/// values: it is looked up by key in the record's JSON, and goes together with the key. So a reader
/// can find it in `run.json`, and a test does.
package struct Facts: Sendable {
  /// How a value is written, and what is computed from it first; stands beside its key.
  package enum Form: String, Sendable {
    case text, count, quantity, percent, time, seconds, minutes, bytes, word
    /// A share difference: "29.5".
    case points
    /// The value's share of the sum of its neighbours.
    case shareOfAll = "share-of-all"
    /// The same, of those that are not `pending`.
    case shareOfEnded = "share-of-ended"
    /// The sum of the object's values, counted.
    case sum
    /// Times the value of the key `scenario.speed`.
    case atSpeed = "times-speed"
    /// Bits a second, in the unit that reads best.
    case bits
  }

  private let root: JSONValue

  /// Reads a record's JSON; of a record that cannot be encoded there are no facts.
  package init(_ record: some StoredRecord) {
    // A record is made of numbers, words and lists; only a number that is not finite could not be
    // encoded, and then there are no facts to cite.
    root =
      (try? record.json()).flatMap { try? JSONDecoder().decode(JSONValue.self, from: $0) }
      ?? .null
  }

  /// Finds a value by its key, whose steps are members or places in lists ("wake.answered.value");
  /// nil: the record has none.
  package func value(_ key: String) -> JSONValue? {
    var at = root
    for step in key.split(separator: ".") {
      switch at {
      case .object(let members):
        guard let next = members[String(step)] else { return nil }
        at = next
      case .array(let items):
        guard let i = Int(step), items.indices.contains(i) else { return nil }
        at = items[i]
      case .null, .bool, .integer, .unsigned, .number, .string: return nil
      }
    }
    return at
  }

  /// Finds a number by its key; nil where the record has none or something else.
  package func number(_ key: String) -> Double? { value(key).flatMap(Self.number) }

  private static func number(_ value: JSONValue) -> Double? {
    switch value {
    case .integer(let number): Double(number)
    case .unsigned(let number): Double(number)
    case .number(let number): number
    case .null, .bool, .string, .array, .object: nil
    }
  }

  /// The value as the reader sees it; nil when the record has none.
  package func text(_ key: String, _ form: Form) -> String? {
    guard let value = value(key) else { return nil }
    if case .string(let words) = value { return form == .text && !words.isEmpty ? words : nil }
    if form == .sum { return sum(value).map(Figure.quantity) }
    guard let number = Self.number(value) else { return nil }
    switch form {
    case .text, .sum: return nil
    case .word: return number == 0 ? "no" : Figure.quantity(number)
    case .count, .quantity: return Figure.quantity(number)
    case .percent: return Figure.percent(number)
    case .points: return String(Figure.percent(number).dropLast(2))
    case .time: return Figure.time(number)
    case .seconds: return "\(Figure.quantity(number.rounded())) s"
    case .minutes: return "\(Figure.plain(number / 60)) min"
    case .bytes: return Figure.bytes(Int(number))
    case .bits: return Figure.bits(number)
    case .atSpeed: return self.number("scenario.speed").map { Figure.quantity(number * $0) }
    case .shareOfAll, .shareOfEnded:
      let parent = key.split(separator: ".").dropLast().joined(separator: ".")
      let pending = form == .shareOfEnded ? self.number("\(parent).pending") ?? 0 : 0
      guard let all = self.value(parent).flatMap(sum), all > pending else { return nil }
      return Figure.percent(number / (all - pending))
    }
  }

  private func sum(_ value: JSONValue) -> Double? {
    guard case .object(let members) = value else { return nil }
    return members.values.compactMap(Self.number).reduce(0, +)
  }
}
