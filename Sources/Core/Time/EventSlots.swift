/// Unsorted events in slots. A block has 256 bytes at a multiple of 256: the end of the slot's
/// previous block, then fifteen events. An end of 0 (empty slot) or at a multiple of 256 (full
/// block) means that a new block is needed.
@usableFromInline struct EventSlots: ~Copyable {
  @usableFromInline static var blockBytes: Int { 256 }
  @usableFromInline static var eventBytes: Int { 16 }
  @usableFromInline static var slabBlocks: Int { 64 }

  /// The address at which each slot's next event goes; 0 if empty. Freed in `deinit`.
  @usableFromInline let ends: UnsafeMutablePointer<UInt>
  @usableFromInline let occupied: UnsafeMutablePointer<UInt64>
  @usableFromInline let count: Int
  @usableFromInline var free: UnsafeMutableRawPointer?
  @usableFromInline var slabs: [UnsafeMutableRawPointer] = []

  @usableFromInline init(count: Int) {
    precondition(count % 64 == 0, "slots come in words of 64")
    self.count = count
    ends = .allocate(capacity: count)
    ends.initialize(repeating: 0, count: count)
    occupied = .allocate(capacity: count / 64)
    occupied.initialize(repeating: 0, count: count / 64)
  }

  @inlinable deinit {
    ends.deallocate()
    occupied.deallocate()
    for slab in slabs { slab.deallocate() }
  }

  @usableFromInline var bytes: Int {
    slabs.count * Self.slabBlocks * Self.blockBytes + count * 8 + count / 8
  }

  @inlinable @inline(__always) mutating func append(_ event: PendingEvent, to slot: Int) {
    var end = ends[slot]
    if end & UInt(Self.blockBytes - 1) == 0 { end = newBlock(in: slot) }
    UnsafeMutablePointer<PendingEvent>(bitPattern: end).unsafelyUnwrapped.pointee = event
    ends[slot] = end + UInt(Self.eventBytes)
  }

  @inline(never) @usableFromInline mutating func newBlock(in slot: Int) -> UInt {
    if free == nil { grow() }
    let block = free.unsafelyUnwrapped
    free = block.load(as: UnsafeMutableRawPointer?.self)
    block.storeBytes(of: ends[slot], as: UInt.self)
    occupied[slot >> 6] |= 1 << UInt64(slot & 63)
    return UInt(bitPattern: block) + UInt(Self.eventBytes)
  }

  private mutating func grow() {
    let slab = UnsafeMutableRawPointer.allocate(
      byteCount: Self.slabBlocks * Self.blockBytes, alignment: Self.blockBytes)
    slabs.append(slab)
    for n in (0..<Self.slabBlocks).reversed() { release(slab + n * Self.blockBytes) }
  }

  @inlinable mutating func release(_ block: UnsafeMutableRawPointer) {
    block.storeBytes(of: free, as: UnsafeMutableRawPointer?.self)
    free = block
  }

  @inlinable func forEachBlock(
    of slot: Int, _ body: (UnsafeMutableBufferPointer<PendingEvent>) -> Void
  ) {
    var end = ends[slot]
    while end != 0 {
      let block = (end - 1) & ~UInt(Self.blockBytes - 1)
      let first = block + UInt(Self.eventBytes)
      body(
        UnsafeMutableBufferPointer(
          start: UnsafeMutablePointer(bitPattern: first),
          count: Int(end - first) / Self.eventBytes))
      // The block begins with the end of the previous block, or 0.
      end = UnsafePointer<UInt>(bitPattern: block).unsafelyUnwrapped.pointee
    }
  }

  @inlinable func hasSeveralBlocks(_ slot: Int) -> Bool {
    let end = ends[slot]
    guard end != 0 else { return false }
    let block = (end - 1) & ~UInt(Self.blockBytes - 1)
    return UnsafePointer<UInt>(bitPattern: block).unsafelyUnwrapped.pointee != 0
  }

  @inlinable func size(of slot: Int) -> Int {
    var size = 0
    forEachBlock(of: slot) { size += $0.count }
    return size
  }

  @inlinable mutating func empty(_ slot: Int) {
    var end = ends[slot]
    while end != 0 {
      let block = (end - 1) & ~UInt(Self.blockBytes - 1)
      let pointer = UnsafeMutableRawPointer(bitPattern: block).unsafelyUnwrapped
      end = pointer.load(as: UInt.self)
      release(pointer)
    }
    ends[slot] = 0
    occupied[slot >> 6] &= ~(1 << UInt64(slot & 63))
  }

  /// Returns the first non-empty slot from `first` through `last`; -1 if there is none.
  @inlinable func nextOccupied(from first: Int, through last: Int) -> Int {
    var word = first >> 6
    var bits = occupied[word] & (~0 << UInt64(first & 63))
    while bits == 0 {
      word += 1
      guard word << 6 <= last else { return -1 }
      bits = occupied[word]
    }
    let slot = word << 6 + bits.trailingZeroBitCount
    return slot <= last ? slot : -1
  }
}
