/// An optional that is written as `null` rather than omitted. Readers can thus tell "nothing to
/// report" from an older program that did not write the key.
@propertyWrapper
package struct Nullable<Value: Codable & Equatable & Sendable>: Codable, Equatable, Sendable {
  package var wrappedValue: Value?

  package init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

  package func encode(to encoder: any Encoder) throws {
    var box = encoder.singleValueContainer()
    if let wrappedValue { try box.encode(wrappedValue) } else { try box.encodeNil() }
  }

  package init(from decoder: any Decoder) throws {
    let box = try decoder.singleValueContainer()
    wrappedValue = box.decodeNil() ? nil : try box.decode(Value.self)
  }
}

extension KeyedDecodingContainer {
  /// Decodes a missing key as null.
  package func decode<Value>(
    _ type: Nullable<Value>.Type, forKey key: Key
  ) throws -> Nullable<Value> {
    try decodeIfPresent(type, forKey: key) ?? Nullable(wrappedValue: nil)
  }
}

/// Any JSON value, for parts of a file that other modules define.
package indirect enum JSONValue: Equatable, Sendable, Codable {
  case null
  case bool(Bool)
  case integer(Int)
  /// A whole number above the largest `Int`.
  case unsigned(UInt64)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  package func encode(to encoder: any Encoder) throws {
    var box = encoder.singleValueContainer()
    switch self {
    case .null: try box.encodeNil()
    case .bool(let value): try box.encode(value)
    case .integer(let value): try box.encode(value)
    case .unsigned(let value): try box.encode(value)
    case .number(let value): try box.encode(value)
    case .string(let value): try box.encode(value)
    case .array(let value): try box.encode(value)
    case .object(let value): try box.encode(value)
    }
  }

  /// Decodes any JSON; a number that fits an `Int` becomes `integer`.
  package init(from decoder: any Decoder) throws {
    let box = try decoder.singleValueContainer()
    // Numbers and objects come first: most values are of these types, and failed attempts throw.
    if box.decodeNil() {
      self = .null
    } else if let value = try? box.decode(Double.self) {
      self = Self.number(value, box)
    } else if let value = try? box.decode([String: JSONValue].self) {
      self = .object(value)
    } else if let value = try? box.decode(String.self) {
      self = .string(value)
    } else if let value = try? box.decode([JSONValue].self) {
      self = .array(value)
    } else {
      self = .bool(try box.decode(Bool.self))
    }
  }

  private static func number(
    _ value: Double, _ box: any SingleValueDecodingContainer
  ) -> JSONValue {
    // From 2^53 on, a `Double` cannot represent every whole number.
    if abs(value) < 0x1p53 { return Int(exactly: value).map { .integer($0) } ?? .number(value) }
    if let whole = try? box.decode(Int.self) { return .integer(whole) }
    return (try? box.decode(UInt64.self)).map { .unsigned($0) } ?? .number(value)
  }
}
