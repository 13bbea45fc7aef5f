internal import Wire

/// What stands in the fields of a protobuf message, for the few messages of gRPC's own services; of
/// a damaged one what stands before the damage.
enum ProtobufFields {
  /// The texts or messages of one field.
  static func bytes(of field: Int, in message: [UInt8]) -> [[UInt8]] {
    values(in: message) { number, value in
      guard number == field, case .bytes(let bytes) = value else { return nil }
      return Array(bytes)
    }
  }

  /// The texts of one field.
  static func texts(of field: Int, in message: [UInt8]) -> [String] {
    values(in: message) { $0 == field ? $1.text : nil }
  }

  /// The first text of one field; empty where there is none.
  static func text(of field: Int, in message: [UInt8]) -> String {
    texts(of: field, in: message).first ?? ""
  }

  /// The numbers of one field.
  static func numbers(of field: Int, in message: [UInt8]) -> [UInt64] {
    values(in: message) { $0 == field ? $1.number : nil }
  }

  /// What `body` makes of each field, in their order; nil leaves one out.
  static func values<Value>(
    in message: [UInt8], _ body: (_ number: Int, _ value: FieldReader.Value) -> Value?
  ) -> [Value] {
    message.withUnsafeBytes { bytes in
      var reader = FieldReader(bytes)
      var found: [Value] = []
      while let next = try? reader.next() {
        if let value = body(next.number, next.value) { found.append(value) }
      }
      return found
    }
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
