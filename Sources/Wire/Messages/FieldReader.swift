package enum ProtobufError: Error, Equatable, Sendable, CustomStringConvertible {
  case malformed(offset: Int)
  /// The description has more bytes, messages, fields or levels than supported.
  case tooLarge(what: String, limit: Int)
  case missingFile(String)
  case unknownType(String, in: String)
  /// The description has two types of the same name.
  case twice(String)
  /// The description is inconsistent.
  case senseless(String)

  package var description: String {
    switch self {
    case .malformed(let offset): "it is not a protobuf message (byte \(offset))"
    case .tooLarge(let what, let limit): "it has more than \(limit) \(what)"
    case .missingFile(let name):
      "it lacks '\(name)', which it imports; write it with protoc --include_imports"
    case .unknownType(let name, let place): "'\(place)' is of type '\(name)', which it lacks"
    case .twice(let name): "it defines '\(name)' twice"
    case .senseless(let what): what
    }
  }
}

/// Reads a message's fields one by one without allocation; obsolete groups are skipped.
package struct FieldReader {
  package enum Value {
    case varint(UInt64)
    case fixed64(UInt64)
    case fixed32(UInt32)
    case bytes(UnsafeRawBufferPointer)
    case group
  }

  private let bytes: UnsafeRawBufferPointer
  private var offset = 0
  private static let groupsMax = 32

  package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  package mutating func next() throws(ProtobufError) -> (number: Int, value: Value)? {
    guard offset < bytes.count else { return nil }
    let (number, wireType) = try tag()
    switch wireType {
    case 0: return (number, .varint(try varint()))
    case 1: return (number, .fixed64(try fixed(UInt64.self)))
    case 2: return (number, .bytes(try lengthDelimited()))
    case 3:
      try skipGroup(number)
      return (number, .group)
    case 5: return (number, .fixed32(try fixed(UInt32.self)))
    case _: throw .malformed(offset: offset)
    }
  }

  private mutating func tag() throws(ProtobufError) -> (number: Int, wireType: UInt64) {
    let at = offset
    let tag = try varint()
    guard tag >= 8, tag >> 3 <= FieldNumber.max else { throw .malformed(offset: at) }
    return (Int(tag >> 3), tag & 7)
  }

  package mutating func element(_ wireType: UInt64) throws(ProtobufError) -> Value {
    switch wireType {
    case 0: .varint(try varint())
    case 1: .fixed64(try fixed(UInt64.self))
    case _: .fixed32(try fixed(UInt32.self))
    }
  }

  private mutating func varint() throws(ProtobufError) -> UInt64 {
    var number: UInt64 = 0
    var shift: UInt64 = 0
    while offset < bytes.count {
      let byte = bytes[offset]
      offset += 1
      // The tenth byte of a varint has room for one bit.
      guard shift < 63 || byte <= 1 else { break }
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
      shift += 7
    }
    throw .malformed(offset: offset)
  }

  package var isAtEnd: Bool { offset == bytes.count }

  private mutating func fixed<Number: FixedWidthInteger>(
    _ type: Number.Type
  ) throws(ProtobufError) -> Number {
    let size = MemoryLayout<Number>.size
    guard bytes.count - offset >= size else { throw .malformed(offset: offset) }
    defer { offset += size }
    return Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Number.self))
  }

  private mutating func lengthDelimited() throws(ProtobufError) -> UnsafeRawBufferPointer {
    let length = try varint()
    guard length <= UInt64(bytes.count - offset) else { throw .malformed(offset: offset) }
    defer { offset += Int(length) }
    return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + Int(length)])
  }

  private mutating func skipGroup(_ number: Int) throws(ProtobufError) {
    var open = [number]
    while let innermost = open.last {
      let (number, wireType) = try tag()
      switch wireType {
      case 0: _ = try varint()
      case 1: _ = try fixed(UInt64.self)
      case 2: _ = try lengthDelimited()
      case 3:
        guard open.count < Self.groupsMax else {
          throw .tooLarge(what: "nested groups", limit: Self.groupsMax)
        }
        open.append(number)
      case 4:
        guard number == innermost else { throw .malformed(offset: offset) }
        open.removeLast()
      case 5: _ = try fixed(UInt32.self)
      case _: throw .malformed(offset: offset)
      }
    }
  }
}

package enum FieldNumber {
  package static let max: UInt64 = (1 << 29) - 1
}

extension FieldReader.Value {
  /// The bytes as text, with invalid UTF-8 replaced; nil for a number.
  package var text: String? {
    if case .bytes(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { nil }
  }

  /// The varint as encoded; nil for other types.
  package var number: UInt64? { if case .varint(let number) = self { number } else { nil } }
  package var isTrue: Bool { number.map { $0 != 0 } ?? false }
}
