internal import Wire

/// Reads fields of gRPC's own messages. A damaged message yields the fields before the damage.
enum ProtobufFields {
  static func bytes(of field: Int, in message: [UInt8]) -> [[UInt8]] {
    values(in: message) { number, value in
      guard number == field, case .bytes(let bytes) = value else { return nil }
      return Array(bytes)
    }
  }

  static func texts(of field: Int, in message: [UInt8]) -> [String] {
    values(in: message) { $0 == field ? $1.text : nil }
  }

  static func text(of field: Int, in message: [UInt8]) -> String {
    texts(of: field, in: message).first ?? ""
  }

  static func numbers(of field: Int, in message: [UInt8]) -> [UInt64] {
    values(in: message) { $0 == field ? $1.number : nil }
  }

  /// Returns the non-nil results of `body` for all fields, in order.
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
