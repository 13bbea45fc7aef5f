internal import Wire

/// A message being encoded: lengths are inserted once they are known.
extension ByteBuffer {
  mutating func append(_ tag: MessageProgram.Tag) {
    reserve(8).storeBytes(of: tag.bytes.littleEndian, as: UInt64.self)
    commit(Int(tag.count))
  }

  mutating func append(varint number: UInt64) { commit(Self.put(number, reserve(10))) }

  mutating func append<Number: FixedWidthInteger>(fixed number: Number) {
    let size = MemoryLayout<Number>.size
    reserve(size).storeBytes(of: number.littleEndian, as: Number.self)
    commit(size)
  }

  mutating func append(_ whole: Int64, _ encoding: MessageProgram.Encoding) {
    switch encoding {
    case .varint: append(varint: UInt64(bitPattern: whole))
    case .zigzag: append(varint: UInt64(bitPattern: whole << 1 ^ whole >> 63))
    case .fixed32: append(fixed: UInt32(truncatingIfNeeded: whole))
    case .fixed64, .float, .double: append(fixed: whole)
    }
  }

  private static func put(_ number: UInt64, _ place: UnsafeMutableRawBufferPointer) -> Int {
    var (rest, count) = (number, 0)
    while rest >= 0x80 {
      place[count] = UInt8(truncatingIfNeeded: rest) | 0x80
      count += 1
      rest >>= 7
    }
    place[count] = UInt8(rest)
    return count + 1
  }

  /// Leaves a byte for a length; returns where the content begins.
  mutating func openLength() -> Int {
    append(0 as UInt8)
    return count
  }

  /// Writes the length of the content from `start`. A length of 128 or more needs more than the one
  /// byte left for it: the content moves.
  mutating func closeLength(from start: Int) {
    let length = count - start
    if length >= 0x80 {
      let more = (63 - length.leadingZeroBitCount) / 7
      _ = reserve(more)
      commit(more)
      // The two overlap, which `copyMemory` allows.
      UnsafeMutableRawBufferPointer(rebasing: mutable[(start + more)...])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: readable[start..<start + length]))
    }
    _ = Self.put(UInt64(length), UnsafeMutableRawBufferPointer(rebasing: mutable[(start - 1)...]))
  }
}
