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

/// Writes the fields of a protobuf message.
struct ProtobufWriter {
  var message: [UInt8] = []

  mutating func append(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      message.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    message.append(UInt8(rest))
  }

  mutating func append(fixed number: UInt64) {
    withUnsafeBytes(of: number.littleEndian) { message += $0 }
  }

  private mutating func tag(_ field: Int, _ type: UInt64) { append(UInt64(field) << 3 | type) }

  mutating func add(_ field: Int, _ number: some BinaryInteger) {
    tag(field, 0)
    append(UInt64(truncatingIfNeeded: number))
  }

  mutating func add(_ field: Int, fixed number: UInt64) {
    tag(field, 1)
    append(fixed: number)
  }

  mutating func add(_ field: Int, _ content: some Collection<UInt8>) {
    tag(field, 2)
    append(UInt64(content.count))
    message += content
  }

  mutating func add(_ field: Int, _ text: String) { add(field, text.utf8) }

  mutating func nest(_ field: Int, _ write: (inout ProtobufWriter) -> Void) {
    var writer = ProtobufWriter()
    write(&writer)
    add(field, writer.message)
  }
}
