package import Core
internal import Foundation

/// The run record by its keys. Numbers of an answer or of a report's first screen are looked up by
/// key and keep it, so that readers and tests find them in `run.json`.
package struct Facts: Sendable {
  /// How a value is derived and formatted; written beside its key.
  package enum Form: String, Sendable {
    case text, count, quantity, percent, time, seconds, minutes, bytes, word
    /// A share difference: "29.5".
    case points
    case shareOfAll = "share-of-all"
    /// The same, without `pending`.
    case shareOfEnded = "share-of-ended"
    case sum
    case atSpeed = "times-speed"
    /// Bits a second, with a unit prefix.
    case bits
  }

  private let root: JSONValue

  package init(_ record: some StoredRecord) {
    // A record is made of numbers, words and lists; only a number that is not finite could not be
    // encoded, and then there are no facts to cite.
    root =
      (try? record.json()).flatMap { try? JSONDecoder().decode(JSONValue.self, from: $0) }
      ?? .null
  }

  /// Returns a value by its path of members and list indices ("wake.answered.value"); nil if
  /// absent.
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

  package func number(_ key: String) -> Double? { value(key).flatMap(Self.number) }

  private static func number(_ value: JSONValue) -> Double? {
    switch value {
    case .integer(let number): Double(number)
    case .unsigned(let number): Double(number)
    case .number(let number): number
    case .null, .bool, .string, .array, .object: nil
    }
  }

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
    case .bytes: return Figure.bytes(number)
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
