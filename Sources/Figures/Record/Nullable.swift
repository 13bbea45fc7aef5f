/// An optional that is written as `null`, not left out: a reader of a run record can tell "we
/// looked and there is nothing to say" from "an older program that did not know this key".
@propertyWrapper
package struct Nullable<Value: Codable & Equatable & Sendable>: Codable, Equatable, Sendable {
  /// Holds the value; nil is written as `null`.
  package var wrappedValue: Value?

  /// Makes the property from its first value.
  package init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

  /// Writes the value, or `null` without one.
  package func encode(to encoder: any Encoder) throws {
    var box = encoder.singleValueContainer()
    if let wrappedValue { try box.encode(wrappedValue) } else { try box.encodeNil() }
  }

  /// Reads a value, or nil from `null`.
  package init(from decoder: any Decoder) throws {
    let box = try decoder.singleValueContainer()
    wrappedValue = box.decodeNil() ? nil : try box.decode(Value.self)
  }
}

extension KeyedDecodingContainer {
  /// A key that is missing reads as null.
  package func decode<Value>(
    _ type: Nullable<Value>.Type, forKey key: Key
  ) throws -> Nullable<Value> {
    try decodeIfPresent(type, forKey: key) ?? Nullable(wrappedValue: nil)
  }
}

/// Any JSON, for blocks whose shape belongs to another room.
package indirect enum JSONValue: Equatable, Sendable, Codable {
  case null
  case bool(Bool)
  case integer(Int)
  /// Above the largest `Int`.
  case unsigned(UInt64)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  /// Writes the value as the JSON that it stands for.
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

  /// Reads any JSON; a number that fits an `Int` becomes `integer`.
  package init(from decoder: any Decoder) throws {
    let box = try decoder.singleValueContainer()
    if box.decodeNil() {
      self = .null
    } else if let value = try? box.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? box.decode(Int.self) {
      self = .integer(value)
    } else if let value = try? box.decode(UInt64.self) {
      self = .unsigned(value)
    } else if let value = try? box.decode(Double.self) {
      self = .number(value)
    } else if let value = try? box.decode(String.self) {
      self = .string(value)
    } else if let value = try? box.decode([JSONValue].self) {
      self = .array(value)
    } else {
      self = .object(try box.decode([String: JSONValue].self))
    }
  }
}
