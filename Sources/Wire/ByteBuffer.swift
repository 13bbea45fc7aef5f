/// A byte queue in one reusable allocation that only grows. Bytes are written at the end and read
/// from the front. Pointers are valid until the next mutation.
package struct ByteBuffer: ~Copyable {
  private var base: UnsafeMutableRawPointer
  private(set) package var capacity: Int
  private var start = 0
  private var end = 0

  /// Creates an empty buffer; a capacity of 0 allocates nothing until the first write.
  package init(capacity: Int = 256) {
    self.capacity = capacity
    base = capacity == 0 ? Self.none : .allocate(byteCount: capacity, alignment: 16)
  }

  deinit { if capacity > 0 { base.deallocate() } }

  private static var none: UnsafeMutableRawPointer {
    // The pointer is never nil, since the constant is not zero.
    UnsafeMutableRawPointer(bitPattern: 16)!
  }

  /// Transfers the allocation of an empty buffer to the caller.
  package mutating func giveUpMemory() -> UnsafeMutableRawBufferPointer {
    precondition(isEmpty, "the memory of a buffer that holds \(count) bytes")
    let memory = UnsafeMutableRawBufferPointer(start: base, count: capacity)
    (base, capacity) = (Self.none, 0)
    return memory
  }

  /// Takes over an allocation aligned to 16 bytes. The buffer must have no memory of its own.
  package mutating func take(_ memory: UnsafeMutableRawBufferPointer) {
    precondition(capacity == 0, "a buffer that owns \(capacity) bytes")
    // Memory from `giveUpMemory` always has an address.
    (base, capacity) = (memory.baseAddress!, memory.count)
  }

  package var count: Int { end - start }
  package var isEmpty: Bool { start == end }

  package var readable: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base + start, count: end - start)
  }

  /// The readable bytes, in which a length can be patched afterwards.
  package var mutable: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: base + start, count: end - start)
  }

  package mutating func removeAll() {
    start = 0
    end = 0
  }

  /// Drops bytes from the front; the buffer must have at least as many.
  package mutating func consume(_ bytes: Int) {
    precondition(bytes <= count, "consume(\(bytes)) of a buffer that holds \(count)")
    start += bytes
    if start == end { removeAll() }
  }

  /// Drops bytes from the end until `count` readable ones are left.
  package mutating func truncate(to count: Int) {
    precondition(count <= self.count, "truncate(to: \(count)) of a buffer that holds \(self.count)")
    end = start + count
  }

  /// Returns room for `bytes` more; call `commit` with the number written.
  package mutating func reserve(_ bytes: Int) -> UnsafeMutableRawBufferPointer {
    if end + bytes > capacity { makeRoom(bytes) }
    return UnsafeMutableRawBufferPointer(start: base + end, count: bytes)
  }

  package mutating func commit(_ bytes: Int) {
    precondition(end + bytes <= capacity, "commit(\(bytes)) beyond what was reserved")
    end += bytes
  }

  private mutating func makeRoom(_ bytes: Int) {
    let held = count
    if held + bytes <= capacity, start >= capacity / 2 {
      base.copyMemory(from: base + start, byteCount: held)
    } else {
      let grown = max(capacity * 2, held + bytes, 16)
      let fresh = UnsafeMutableRawPointer.allocate(byteCount: grown, alignment: 16)
      fresh.copyMemory(from: base + start, byteCount: held)
      if capacity > 0 { base.deallocate() }
      base = fresh
      capacity = grown
    }
    start = 0
    end = held
  }

  package mutating func append(_ byte: UInt8) {
    reserve(1)[0] = byte
    commit(1)
  }

  package mutating func append<Number: FixedWidthInteger>(bigEndian value: Number) {
    let size = MemoryLayout<Number>.size
    reserve(size).storeBytes(of: value.bigEndian, as: Number.self)
    commit(size)
  }

  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard !bytes.isEmpty else { return }
    reserve(bytes.count).copyMemory(from: bytes)
    commit(bytes.count)
  }

  package mutating func append(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { append($0) }
  }

  package mutating func append(utf8 text: String) {
    var text = text
    text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
  }

  package mutating func append(_ string: StaticString) {
    append(string.bytes)
  }

  /// Overwrites a big-endian integer `offset` bytes into the readable part.
  package mutating func patch<Number: FixedWidthInteger>(bigEndian value: Number, at offset: Int) {
    mutable.storeBytes(of: value.bigEndian, toByteOffset: offset, as: Number.self)
  }

  package func copyBytes() -> [UInt8] { Array(readable) }
}

extension StaticString {
  /// The text in UTF-8, which is always in memory.
  @inlinable
  package var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
  }
}

extension UnsafeRawBufferPointer {
  /// Returns the big-endian integer at `offset`, which need not be aligned.
  @inlinable
  package func loadBigEndian<Number: FixedWidthInteger>(
    _ type: Number.Type, at offset: Int
  ) -> Number {
    Number(bigEndian: loadUnaligned(fromByteOffset: offset, as: type))
  }

  /// Compares with an ASCII name, eight bytes at a time, since this runs for every header field.
  package func equals(_ text: StaticString) -> Bool {
    count == text.utf8CodeUnitCount && starts(with: text)
  }

  package func starts(with text: StaticString) -> Bool {
    count >= text.utf8CodeUnitCount && begins(with: text.bytes)
  }

  package func equals(_ other: UnsafeRawBufferPointer) -> Bool {
    count == other.count && begins(with: other)
  }

  /// - Parameter wanted: not longer than the bytes.
  @inline(__always)
  private func begins(with wanted: UnsafeRawBufferPointer) -> Bool {
    var at = 0
    while at + 8 <= wanted.count {
      guard
        loadUnaligned(fromByteOffset: at, as: UInt64.self)
          == wanted.loadUnaligned(fromByteOffset: at, as: UInt64.self)
      else { return false }
      at += 8
    }
    while at < wanted.count {
      guard self[at] == wanted[at] else { return false }
      at += 1
    }
    return true
  }
}
