/// Writes a bit stream: bit i is bit i % 8 of byte i / 8, and numbers begin with their lowest bit.
/// The memory must outlive the writer, and needs `slackBytes` more, since whole words are stored.
struct BitWriter {
  /// The bytes that a store may write beyond the end: a whole word.
  static let slackBytes = 8

  private let start: UnsafeMutableRawPointer
  private var next: UnsafeMutableRawPointer
  /// The bits of an incomplete byte; fewer than eight between two calls.
  private var pending: UInt64 = 0
  private var pendingBits: UInt64 = 0

  init(_ start: UnsafeMutableRawPointer) {
    self.start = start
    next = start
  }

  /// - Parameter count: at most 56; all higher bits of `bits` must be zero.
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

  /// Returns the number of bytes; the last byte is filled up with zeros.
  mutating func finish() -> Int {
    next - start + (pendingBits > 0 ? 1 : 0)
  }
}

/// Reads what `BitWriter` wrote, from memory with `slackBytes` after the stream. `isWithin` finds
/// reads past the end; call it before the reader is `slackBytes` beyond the end.
struct BitReader {
  /// Enough for the longest read between two checks: a word of a bitmap, or an escape of 12 + 6 +
  /// 64 bits that begins at the last bit, all read as words of eight bytes.
  static let slackBytes = 32

  private let start: UnsafeRawPointer
  private let end: Int
  /// The number of bits read.
  private(set) var position = 0

  /// - Parameter bytes: the stream's length; `start` is readable for `slackBytes` more.
  init(_ start: UnsafeRawPointer, bytes: Int) {
    self.start = start
    end = bytes * 8
  }

  var isWithin: Bool { @inline(__always) get { position <= end } }
  var left: Int { end - position }

  /// The next 64 bits, of which at least 57 are valid.
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
