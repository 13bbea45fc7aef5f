package import Core
internal import Foundation

/// The values of a record by their keys. Each number in an answer or on a report's first screen
/// keeps its key, so that readers and tests find the number in `run.json`.
package struct Facts: Sendable {
  /// How a value is derived and formatted; a report writes the form beside the key.
  package enum Form: String, Sendable {
    case text, count, quantity, percent, time, seconds, minutes, bytes, word
    /// A difference of shares in percentage points: "29.5".
    case points
    case shareOfAll = "share-of-all"
    /// The value as a share of the sum of itself and its siblings, without `pending`.
    case shareOfEnded = "share-of-ended"
    case sum
    case atSpeed = "times-speed"
    /// Bits a second, with a unit prefix.
    case bits
  }

  private let root: JSONValue

  package init(_ root: JSONValue) { self.root = root }

  package init(_ record: some StoredRecord) {
    // Encoding fails only for a number that is not finite, and leaves no facts to cite.
    root =
      (try? record.json()).flatMap { try? JSONDecoder().decode(JSONValue.self, from: $0) }
      ?? .null
  }

  /// Returns the value at a path of members and list indices ("wake.answered.value"), or nil.
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

  // MARK: Damage

  /// The greatest plausible number; sums of greater counts might not fit an `Int`.
  private static let most = 1e15

  /// The description of a count too large to be added to others; nil if there is none.
  package var damage: String? {
    numbers.first { path, value in
      switch value {
      case .integer(let count): count.magnitude > UInt(Self.most) && !Self.isFree(path)
      case .unsigned: !Self.isFree(path)
      case .null, .bool, .number, .string, .array, .object: false
      }
    }.map { "\($0.path) is \(Self.text($0.value))" }
  }

  /// A line about impossible numbers, such as a negative rate; nil if there are none.
  package var doubts: String? {
    let found = numbers.compactMap { path, value -> String? in
      guard let number = Self.number(value), !Self.isFree(path) else { return nil }
      let isShare = Self.shares.contains { path.hasSuffix(".\($0)") }
      let isWrong =
        abs(number) > Self.most || isShare && number > 1
        || number < 0 && (isShare || Self.positive.contains { path.hasPrefix("\($0).") })
      return isWrong ? "\(path) is \(Self.text(value))" : nil
    }
    guard let first = found.first else { return nil }
    let more = found.count - 1
    let others =
      more == 0 ? "" : ", and \(more) more \(more == 1 ? "number is" : "numbers are") wrong"
    return "Damaged record: \(first)\(others). Do not use the figures that depend on it."
  }

  private static let shares = ["share", "located", "never"]
  /// The keys of values that are never negative.
  private static let positive = [
    "offered", "throughput", "latency", "ledger", "stale", "phases", "traffic", "timing", "map",
    "energy.joules", "wake.outcomes", "runs", "phones", "cost",
  ]

  private static func isFree(_ path: String) -> Bool {
    path.split(separator: ".").contains { $0 == "seed" || $0 == "seeds" }
  }

  private static func text(_ value: JSONValue) -> String {
    switch value {
    case .integer(let count): "\(count)"
    case .unsigned(let count): "\(count)"
    case .number(let number): "\(number)"
    case .null, .bool, .string, .array, .object: ""
    }
  }

  /// All numbers of the record, in the order of their paths.
  private var numbers: [(path: String, value: JSONValue)] {
    var found: [(path: String, value: JSONValue)] = []
    func visit(_ value: JSONValue, _ path: String) {
      switch value {
      case .object(let members):
        for (key, one) in members.sorted(by: { $0.key < $1.key }) {
          visit(one, path.isEmpty ? key : "\(path).\(key)")
        }
      case .array(let items):
        for (place, one) in items.enumerated() { visit(one, "\(path).\(place)") }
      case .integer, .unsigned, .number: found.append((path, value))
      case .null, .bool, .string: break
      }
    }
    visit(root, "")
    return found
  }

  private func sum(_ value: JSONValue) -> Double? {
    guard case .object(let members) = value else { return nil }
    return members.values.compactMap(Self.number).reduce(0, +)
  }
}
