/// Writes a bit stream: bit i is bit i % 8 of byte i / 8, numbers LSB first. The memory must
/// outlive the writer, with `slackBytes` of slack, since whole words are stored.
struct BitWriter {
  /// Every store is a word of eight bytes.
  static let slackBytes = 8

  private let start: UnsafeMutableRawPointer
  private var next: UnsafeMutableRawPointer
  /// Bits short of a byte; fewer than eight between two calls.
  private var pending: UInt64 = 0
  private var pendingBits: UInt64 = 0

  init(_ start: UnsafeMutableRawPointer) {
    self.start = start
    next = start
  }

  /// - Parameter count: at most 56; `bits` has nothing above them.
  @inline(__always)
  mutating func put(_ bits: UInt64, _ count: Int) {
    pending |= bits &<< pendingBits
    pendingBits &+= UInt64(truncatingIfNeeded: count)
    next.storeBytes(of: pending.littleEndian, as: UInt64.self)
    let bytes = pendingBits &>> 3
    next += Int(truncatingIfNeeded: bytes)
    pending = pending &>> (bytes &<< 3)
    pendingBits &= 7
  }

  /// - Parameter count: up to 64.
  mutating func putWide(_ bits: UInt64, _ count: Int) {
    let low = min(count, 32)
    put(bits & (1 << UInt64(low) - 1), low)
    if count > 32 { put(bits >> 32, count - 32) }
  }

  /// Returns the byte count, the last byte zero-filled.
  mutating func finish() -> Int {
    next - start + (pendingBits > 0 ? 1 : 0)
  }
}

/// Reads what `BitWriter` wrote, from memory with `slackBytes` after the stream. Reads past the end
/// are found by `check`, to be called before the reader is `slackBytes` beyond it.
struct BitReader {
  /// The longest value between two checks is a bitmap's word or an escape: 12 + 6 + 64 bits, which
  /// begin at the last bit at most and are read as words of eight bytes.
  static let slackBytes = 32

  private let start: UnsafeRawPointer
  private let end: Int
  /// In bits.
  private(set) var position = 0

  /// - Parameter bytes: of the stream; `start` is readable for `slackBytes` more.
  init(_ start: UnsafeRawPointer, bytes: Int) {
    self.start = start
    end = bytes * 8
  }

  var isWithin: Bool { @inline(__always) get { position <= end } }
  var left: Int { end - position }

  /// At least 57 bits from the position on.
  @inline(__always)
  var word: UInt64 {
    let bytes = (start + position &>> 3).loadUnaligned(as: UInt64.self)
    return UInt64(littleEndian: bytes) &>> UInt64(truncatingIfNeeded: position & 7)
  }

  @inline(__always)
  mutating func skip(_ bits: Int) { position &+= bits }

  /// - Parameter count: at most 56.
  @inline(__always)
  mutating func take(_ count: Int) -> UInt64 {
    let bits = word & (1 &<< UInt64(truncatingIfNeeded: count) &- 1)
    position &+= count
    return bits
  }

  /// - Parameter count: up to 64.
  mutating func takeWide(_ count: Int) -> UInt64 {
    let low = take(min(count, 32))
    return count > 32 ? low | take(count - 32) << 32 : low
  }
}
