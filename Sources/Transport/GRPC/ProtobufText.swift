/// The fields of a protobuf message, in their order, for the few messages of gRPC's own services.
struct ProtobufFields: Sequence, IteratorProtocol {
  enum Value: Equatable {
    case number(UInt64)
    case bytes([UInt8])
  }

  private var rest: ArraySlice<UInt8>

  init(_ message: [UInt8]) { rest = message[...] }

  /// nil at the end, and where the message is damaged.
  mutating func next() -> (field: Int, value: Value)? {
    guard let tag = number() else { return nil }
    switch tag & 7 {
    case 0: return number().map { (Int(tag >> 3), .number($0)) }
    case 1: return take(8).map { (Int(tag >> 3), .bytes($0)) }
    case 2:
      guard let length = number(), length <= UInt64(rest.count) else { return nil }
      return take(Int(length)).map { (Int(tag >> 3), .bytes($0)) }
    case 5: return take(4).map { (Int(tag >> 3), .bytes($0)) }
    default: return nil
    }
  }

  private mutating func number() -> UInt64? {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      guard let byte = rest.popFirst() else { return nil }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
    }
    return nil
  }

  private mutating func take(_ count: Int) -> [UInt8]? {
    guard count <= rest.count else { return nil }
    defer { rest.removeFirst(count) }
    return Array(rest.prefix(count))
  }

  /// The texts or messages of one field.
  static func bytes(of field: Int, in message: [UInt8]) -> [[UInt8]] {
    ProtobufFields(message).compactMap {
      guard $0.field == field, case .bytes(let bytes) = $0.value else { return nil }
      return bytes
    }
  }

  /// The texts of one field.
  static func texts(of field: Int, in message: [UInt8]) -> [String] {
    // swift-format-ignore: what is no UTF-8 names nothing, repaired or not.
    bytes(of: field, in: message).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The first text of one field; empty where there is none.
  static func text(of field: Int, in message: [UInt8]) -> String {
    // swift-format-ignore: what is no UTF-8 names nothing, repaired or not.
    bytes(of: field, in: message).first.map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}

/// Writes a protobuf message, field by field.
struct ProtobufWriter {
  private(set) var message: [UInt8] = []

  mutating func add(_ field: Int, _ bytes: [UInt8]) {
    number(UInt64(field) << 3 | 2)
    number(UInt64(bytes.count))
    message += bytes
  }

  mutating func add(_ field: Int, _ text: String) { add(field, Array(text.utf8)) }

  mutating func add(_ field: Int, _ value: Int) {
    number(UInt64(field) << 3)
    number(UInt64(bitPattern: Int64(value)))
  }

  private mutating func number(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      message.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    message.append(UInt8(rest))
  }
}
