internal import Wire

/// Encodes protobuf messages; a length is inserted once the content is complete.
extension ByteBuffer {
  @inline(__always)
  mutating func append(_ tag: MessageProgram.Tag) {
    commit(Self.put(tag, reserve(8)))
  }

  mutating func append<Number: FixedWidthInteger>(
    _ tag: MessageProgram.Tag, fixed number: Number
  ) {
    let place = reserve(16)
    let count = Self.put(tag, place)
    place.storeBytes(of: number.littleEndian, toByteOffset: count, as: Number.self)
    commit(count + MemoryLayout<Number>.size)
  }

  mutating func append(
    _ tag: MessageProgram.Tag, _ whole: Int64, _ encoding: MessageProgram.Encoding
  ) {
    let number: UInt64
    switch encoding {
    case .varint: number = UInt64(bitPattern: whole)
    case .zigzag: number = UInt64(bitPattern: whole << 1 ^ whole >> 63)
    case .fixed32: return append(tag, fixed: UInt32(truncatingIfNeeded: whole))
    case .fixed64, .float, .double: return append(tag, fixed: whole)
    }
    let place = reserve(18)
    let count = Self.put(tag, place)
    commit(count + Self.put(number, place, at: count))
  }

  /// Appends a message of seconds (field 1) and nanoseconds (field 2), without zeros.
  mutating func append(_ tag: MessageProgram.Tag, seconds: Int64, nanoseconds: Int64) {
    let place = reserve(40)
    let start = Self.put(tag, place) + 1
    var end = start
    if seconds != 0 {
      place[end] = 0x08
      end += 1 + Self.put(UInt64(bitPattern: seconds), place, at: end + 1)
    }
    if nanoseconds != 0 {
      place[end] = 0x10
      end += 1 + Self.put(UInt64(bitPattern: nanoseconds), place, at: end + 1)
    }
    place[start - 1] = UInt8(end - start)
    commit(end)
  }

  @inline(__always)
  private static func put(
    _ tag: MessageProgram.Tag, _ place: UnsafeMutableRawBufferPointer
  ) -> Int {
    place.storeBytes(of: tag.bytes.littleEndian, as: UInt64.self)
    return Int(tag.count)
  }

  @inline(__always)
  private static func put(
    _ number: UInt64, _ place: UnsafeMutableRawBufferPointer, at start: Int = 0
  ) -> Int {
    var (rest, end) = (number, start)
    while rest >= 0x80 {
      place[end] = UInt8(truncatingIfNeeded: rest) | 0x80
      end += 1
      rest >>= 7
    }
    place[end] = UInt8(rest)
    return end + 1 - start
  }

  /// Leaves a byte for a length; returns where the content begins.
  @inline(__always)
  mutating func openLength() -> Int {
    append(0 as UInt8)
    return count
  }

  /// Writes the length. A length of 128 or more needs further bytes, for which the content moves.
  @inline(__always)
  mutating func closeLength(from start: Int) {
    let length = count - start
    if length >= 0x80 {
      let more = (63 - length.leadingZeroBitCount) / 7
      _ = reserve(more)
      commit(more)
      // The source and the destination overlap, which `copyMemory` allows.
      UnsafeMutableRawBufferPointer(rebasing: mutable[(start + more)...])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: readable[start..<start + length]))
    }
    _ = Self.put(UInt64(length), UnsafeMutableRawBufferPointer(rebasing: mutable[(start - 1)...]))
  }
}
