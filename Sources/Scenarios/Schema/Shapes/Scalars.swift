extension Shape where Value: FixedWidthInteger {
  package static func count(_ range: ClosedRange<Value>) -> Shape {
    .scalar(
      "a whole number from \(range.lowerBound) to \(range.upperBound)",
      parse: { (text, _) throws(ValueError) in
        guard let number = Value(text) else {
          throw ValueError("'\(text)' is not a whole number in range")
        }
        guard range.contains(number) else { throw ValueError("\(number) is out of range") }
        return number
      },
      show: { value, _ in "\(value)" })
  }
}

extension Shape where Value: RawRepresentable<String> & CaseIterable {
  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  package static func word(_: Value.Type) -> Shape {
    .word(Value.allCases.map { ($0.rawValue, $0) }, name: { $0.rawValue })
  }
}

extension Shape {

  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  package static func word(
    _ words: [(String, Value)], name: @escaping (Value) -> String
  ) -> Shape {
    let names = words.map(\.0)
    return .scalar(
      "one of " + names.joined(separator: ", "), words: names,
      parse: { (text, _) throws(ValueError) in
        guard let found = words.first(where: { $0.0 == text }) else {
          throw ValueError("'\(text)' is unknown", hint: Spelling.hint(for: text, in: names))
        }
        return found.1
      },
      show: { value, _ in name(value) })
  }
}

extension Shape<Double> {
  package static func number(_ range: ClosedRange<Double>) -> Shape {
    .scalar(
      "a number from \(Quantity.number(range.lowerBound)) to \(Quantity.number(range.upperBound))",
      parse: { (text, _) throws(ValueError) in
        // `Double(_:)` alone would also accept "inf", "nan" and hexadecimal numbers.
        guard text.allSatisfy({ "0123456789.+-".contains($0) }), let number = Double(text) else {
          throw ValueError("'\(text)' is not a number")
        }
        guard range.contains(number) else { throw ValueError("'\(text)' is out of range") }
        return number
      },
      show: { value, _ in Quantity.number(value) })
  }

  /// A part of a whole: `30%` or `0.3`.
  package static var share: Shape {
    .scalar(
      "a share from 0% to 100%, such as 30% or 0.3",
      parse: { (text, _) throws(ValueError) in
        let digits = text.hasSuffix("%") ? text.dropLast() : text[...]
        guard digits.allSatisfy({ "0123456789.+-".contains($0) }), let number = Double(digits)
        else { throw ValueError("'\(text)' is not a share") }
        let share = text.hasSuffix("%") ? number / 100 : number
        guard (0...1).contains(share) else { throw ValueError("'\(text)' is out of range") }
        return share
      },
      show: { value, _ in
        // Shows a percentage if at most two decimals express it exactly, else the number itself.
        let percent = (value * 10_000).rounded() / 100
        return percent / 100 == value ? "\(Quantity.number(percent))%" : Quantity.number(value)
      })
  }
}

extension Shape<Bool> {
  package static var flag: Shape {
    .word([("true", true), ("false", false)], name: { $0 ? "true" : "false" })
  }
}

extension Shape<String> {
  /// A name that can be a file's name and a key of `--set`.
  package static var name: Shape {
    .scalar(
      "a name of letters, digits, '-', '_', '+' and '*'",
      parse: { (text, _) throws(ValueError) in
        // The word `none` is reserved for a missing value.
        guard text.count <= 64, text != "none",
          text.allSatisfy({ $0.isLetter || $0.isNumber || "-_+*".contains($0) })
        else { throw ValueError("'\(text)' is not a name") }
        return text
      },
      show: { value, _ in value })
  }

  package static var sentence: Shape {
    .scalar(
      "a sentence", canBeEmpty: true, parse: { (text, _) throws(ValueError) in text },
      show: { value, _ in value })
  }
}

extension Shape<ConnectionMode> {
  static var pooledMax: Int { 65_536 }

  static var connectionMode: Shape {
    .scalar(
      "per-upload, per-phone or pooled(n) with n from 1 to \(pooledMax)",
      parse: { (text, _) throws(ValueError) in
        switch text {
        case "per-upload": return .perUpload
        case "per-phone": return .perPhone
        case "pooled": throw ValueError("'pooled' needs its number, such as pooled(8)")
        default:
          guard text.hasPrefix("pooled("), text.hasSuffix(")"),
            let count = Int(text.dropFirst(7).dropLast())
          else {
            let hint = Spelling.hint(for: text, in: ["per-upload", "per-phone"])
            throw ValueError("'\(text)' is unknown", hint: hint)
          }
          guard (1...pooledMax).contains(count) else {
            throw ValueError("\(count) is out of range")
          }
          return .pooled(count)
        }
      },
      show: { value, _ in
        switch value {
        case .perUpload: "per-upload"
        case .perPhone: "per-phone"
        case .pooled(let count): "pooled(\(count))"
        }
      })
  }
}
