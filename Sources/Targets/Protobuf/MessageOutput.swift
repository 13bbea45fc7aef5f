/// Bytes of a message while it is written: lengths are put in once they are known.
///
/// Owns one allocation that only grows. Numbers are written without a check of the room for each
/// byte, which `reserve` has made before.
package struct MessageOutput: ~Copyable {
  private var base: UnsafeMutableRawPointer
  private var capacity: Int
  /// Counts the bytes written.
  package private(set) var count = 0

  /// Makes an empty output with room for `capacity` bytes, at least 64.
  package init(capacity: Int = 4_096) {
    self.capacity = max(64, capacity)
    base = .allocate(byteCount: self.capacity, alignment: 16)
  }

  deinit { base.deallocate() }

  /// The bytes written so far, valid until the next change.
  package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

  /// Drops what was written behind `count` bytes; the memory stays.
  package mutating func truncate(to count: Int) {
    precondition(count <= self.count, "truncate(to: \(count)) of \(self.count) bytes")
    self.count = count
  }

  /// Makes room for so many bytes more.
  @inline(__always)
  mutating func reserve(_ bytes: Int) {
    if capacity - count < bytes { grow(bytes) }
  }

  private mutating func grow(_ bytes: Int) {
    capacity = max(2 * capacity, count + bytes)
    let grown = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
    grown.copyMemory(from: base, byteCount: count)
    base.deallocate()
    base = grown
  }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    reserve(bytes.count)
    (base + count).copyMemory(from: start, byteCount: bytes.count)
    count += bytes.count
  }

  /// Appends a tag of up to eight bytes; room for eight must have been made.
  @inline(__always)
  mutating func append(reserved tag: MessageProgram.Tag) {
    base.storeBytes(of: tag.bytes.littleEndian, toByteOffset: count, as: UInt64.self)
    count += Int(tag.count)
  }

  /// Appends a number of up to ten bytes; room for them must have been made.
  @inline(__always)
  mutating func append(reservedVarint number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      base.storeBytes(
        of: UInt8(truncatingIfNeeded: rest) | 0x80, toByteOffset: count, as: UInt8.self)
      count += 1
      rest >>= 7
    }
    base.storeBytes(of: UInt8(rest), toByteOffset: count, as: UInt8.self)
    count += 1
  }

  /// Appends a number of a fixed width; room for it must have been made.
  @inline(__always)
  mutating func append<Number: FixedWidthInteger>(reservedFixed number: Number) {
    base.storeBytes(of: number.littleEndian, toByteOffset: count, as: Number.self)
    count += MemoryLayout<Number>.size
  }

  /// Appends a whole number; room for ten bytes must have been made.
  @inline(__always)
  mutating func append(_ whole: Int64, _ encoding: MessageProgram.Encoding) {
    switch encoding {
    case .varint: append(reservedVarint: UInt64(bitPattern: whole))
    case .zigzag: append(reservedVarint: UInt64(bitPattern: whole << 1 ^ whole >> 63))
    case .fixed32: append(reservedFixed: UInt32(truncatingIfNeeded: whole))
    case .fixed64, .float, .double: append(reservedFixed: whole)
    }
  }

  /// Leaves a byte for a length; returns where what has the length begins.
  @inline(__always)
  mutating func openLength() -> Int {
    reserve(1)
    count += 1
    return count
  }

  /// Writes the length of what begins at `start`. One of 128 bytes or more needs more than the one
  /// byte that was left for it: what has been written moves.
  @inline(__always)
  mutating func closeLength(from start: Int) {
    let length = count - start
    guard length >= 0x80 else {
      base.storeBytes(of: UInt8(length), toByteOffset: start - 1, as: UInt8.self)
      return
    }
    closeLong(from: start, length)
  }

  private mutating func closeLong(from start: Int, _ length: Int) {
    let more = (63 - length.leadingZeroBitCount) / 7
    reserve(more)
    // The two overlap, which `copyMemory` allows.
    (base + start + more).copyMemory(from: base + start, byteCount: length)
    count = start - 1
    append(reservedVarint: UInt64(length))
    count += length
  }
}
