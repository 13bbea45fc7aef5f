package import Scenarios

package struct ValueReference: Hashable, Sendable {
  package let name: String
  /// The built-in source; nil if the name is one that the target defines.
  package let source: ValueSource?
  package let unit: ValueUnit
  /// The minimum number of digits, zero-padded; 0 for none.
  package let width: UInt8
  package let decimals: UInt8?
}

/// A text of a target's file, which may contain values. `$latitude` alone is the value itself;
/// `"a{phone:07}"` is a text with the value in it. `$$`, `{{` and `}}` stand for `$`, `{` and `}`.
package struct ValueText: Hashable, Sendable {
  package enum Part: Hashable, Sendable {
    case text(String)
    case value(ValueReference)
  }

  package let written: String
  package internal(set) var origin = Origin.whole("")
  package let parts: [Part]
  /// Whether the whole text is one value, which keeps its type.
  package let isWhole: Bool

  package var isEmpty: Bool { parts.isEmpty }

  package var constant: String? {
    switch parts.count {
    case 0: ""
    case 1: if case .text(let text) = parts[0] { text } else { nil }
    case _: nil
    }
  }

  init(parts: [Part]) {
    written = ""
    self.parts = parts
    isWhole = false
  }

  package init(_ text: String) throws(ValueError) {
    written = text
    if text.hasPrefix("$"), !text.hasPrefix("$$") {
      parts = [.value(try ValueReference(text.dropFirst()))]
      isWhole = true
      return
    }
    isWhole = false
    parts = try Self.parts(text.hasPrefix("$$") ? text.dropFirst() : text[...])
  }

  private static func parts(_ text: Substring) throws(ValueError) -> [Part] {
    var parts: [Part] = []
    var plain = ""
    var rest = text
    while let letter = rest.popFirst() {
      let isDoubled = rest.first == letter
      switch letter {
      case "{" where isDoubled, "}" where isDoubled:
        rest.removeFirst()
        plain.append(letter)
      case "{":
        guard let end = rest.firstIndex(of: "}") else {
          throw ValueError("'\(text)' has a '{' without its '}'")
        }
        if !plain.isEmpty { parts.append(.text(plain)) }
        plain = ""
        parts.append(.value(try ValueReference(rest[..<end])))
        rest = rest[rest.index(after: end)...]
      case "}": throw ValueError("'\(text)' has a '}' without its '{'")
      case let letter: plain.append(letter)
      }
    }
    if !plain.isEmpty { parts.append(.text(plain)) }
    return parts
  }
}

extension ValueReference {
  /// Parses `name`, `name.unit`, `name:07` or `name.unit:.2`.
  fileprivate init(_ text: Substring) throws(ValueError) {
    let halves = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let words = halves[0].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(words[0])
    guard !name.isEmpty, name.allSatisfy({ $0.isLetter || $0.isNumber || "-_".contains($0) })
    else { throw ValueError("'\(text)' is not the name of a value") }
    let found = ValueSource.builtIn.first { $0.name == name }?.source
    let unit = words.count == 2 ? String(words[1]) : nil
    let format = try Self.format(halves.count == 2 ? halves[1] : nil, of: text)
    self.init(
      name: name, source: found, unit: try Self.unit(unit, of: name, found),
      width: format.width, decimals: format.decimals)
  }

  private static func unit(
    _ unit: String?, of name: String, _ source: ValueSource?
  ) throws(ValueError) -> ValueUnit {
    let units = source?.units ?? [.plain]
    guard let unit else { return units[0] }
    if let found = units.first(where: { $0.rawValue == unit && $0 != .plain }) { return found }
    let known = units.filter { $0 != .plain }.map(\.rawValue)
    guard !known.isEmpty else { throw ValueError("'\(name)' has no unit '\(unit)', nor any other") }
    throw ValueError(
      "'\(name)' has no unit '\(unit)'; it has \(known.joined(separator: ", "))",
      hint: Spelling.hint(for: unit, in: known))
  }

  private static func format(
    _ format: Substring?, of text: Substring
  ) throws(ValueError) -> (width: UInt8, decimals: UInt8?) {
    guard let format else { return (0, nil) }
    if format.hasPrefix("."), let decimals = UInt8(format.dropFirst()), decimals <= 9 {
      return (0, decimals)
    }
    if let width = UInt8(format), (1...18).contains(width) { return (width, nil) }
    throw ValueError(
      "'\(text)' ends in '\(format)', which is neither a width such as 07 nor decimals such as .2")
  }
}

extension Shape<ValueText> {
  static var valueText: Shape {
    let allowed = "a text with values such as {latitude} or {id}"
    let text = Shape.scalar(
      allowed, canBeEmpty: true,
      parse: { (text, _) throws(ValueError) in try ValueText(text) },
      show: { value, _ in value.written })
    return Shape(
      allowed: allowed, form: text.form,
      read: { node, reading in
        guard var value = text.read(node, &reading) else { return nil }
        value.origin = node.origin
        return value
      },
      show: text.show)
  }
}
