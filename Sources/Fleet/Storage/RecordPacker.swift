internal import Core

/// The code of one word of a packed record, in four bits.
enum WordCode: UInt8, CaseIterable {
  /// The word equals that of `fresh`, the record of a phone without any history.
  case fresh
  /// The word's difference to `typical` follows, zigzag-encoded in this many bytes.
  case bytes1, bytes2, bytes3, bytes4, bytes5, bytes6, bytes7, bytes8
  case distantFuture, distantPast
  /// The word equals the previous word, or the word before that.
  case before, beforeThat
  case zero
  /// The word equals its first or second reference: an earlier word likely to have the same value.
  case firstReference, secondReference

  /// Reads the lowest four bits, each value of which is a code.
  @inline(__always) init(bits: UInt64) {
    self = unsafeBitCast(UInt8(truncatingIfNeeded: bits & 15), to: WordCode.self)
  }

  @inline(__always) var bits: UInt64 { UInt64(unsafeBitCast(self, to: UInt8.self)) }
}

/// Packs a plain value into few bytes: each word of eight bytes as its difference to a pattern.
///
///     OFFSET  SIZE   one record
///     0       n/2    a `WordCode` of four bits for each of its n words
///     n/2     …      the codes' bytes, in the words' order
///
/// The packer ignores what a word means, so it can omit no member of a record. The nearer `typical`
/// is to a record, the shorter the result. Packing is lossless, because a word that fits no code
/// takes eight bytes. Padding is unpacked as zeros.
final class RecordPacker<Record: BitwiseCopyable> {
  static var words: Int { (MemoryLayout<Record>.size + 7) / 8 }
  private static var codeBytes: Int { (words + 1) / 2 }
  /// The maximum size of a record, plus the eight bytes that are read and written beyond it.
  static var bytesMax: Int { codeBytes + words * 8 + 8 }

  private static var future: UInt64 {
    UInt64(bitPattern: SimInstant.distantFuture.microseconds)
  }
  private static var past: UInt64 { UInt64(bitPattern: SimInstant.distantPast.microseconds) }

  struct References: Sendable, BitwiseCopyable {
    var first: Int
    var second: Int
  }

  private struct Pattern: BitwiseCopyable {
    /// The bits of the word that are not padding.
    var mask: UInt64
    var fresh: UInt64
    var typical: UInt64
    var references: References
  }

  private let patterns: UnsafeMutablePointer<Pattern>

  /// - Parameter typical: a record with a likely value in every member.
  /// - Parameter references: likely equal earlier words; by default, words three and four before.
  init(fresh: Record, typical: Record, references: [Int: References] = [:]) {
    let mask = PaddingMask.words(of: fresh)
    let fresh = Self.words(of: fresh)
    let typical = Self.words(of: typical)
    patterns = .allocate(capacity: Self.words)
    for n in 0..<Self.words {
      (patterns + n).initialize(
        to: Pattern(
          mask: mask[n], fresh: fresh[n] & mask[n], typical: typical[n] & mask[n],
          references: references[n] ?? References(first: max(0, n - 3), second: max(0, n - 4))))
    }
  }

  deinit { patterns.deallocate() }

  private static func words(of record: Record) -> [UInt64] {
    var words = [UInt64](repeating: 0, count: words)
    withUnsafeBytes(of: record) { source in
      words.withUnsafeMutableBytes { $0.copyMemory(from: UnsafeRawBufferPointer(source)) }
    }
    return words
  }

  // Packing and unpacking are plain loops over pointers, because every event uses both. In a debug
  // build, such as that of all tests, an iterator or a closure takes more time than the work.

  /// Packs whole words, clears their padding in `record`, and returns the number of bytes written.
  func pack(_ record: UnsafeMutablePointer<UInt64>, into target: UnsafeMutableRawPointer) -> Int {
    let words = Self.words
    let (future, past) = (Self.future, Self.past)
    var bytes = target + Self.codeBytes
    var codes: UInt64 = 0
    var before: UInt64 = 0
    var beforeThat: UInt64 = 0
    var n = 0
    while n < words {
      let pattern = patterns + n
      let word = record[n] & pattern.pointee.mask
      record[n] = word
      let code: WordCode
      if word == pattern.pointee.fresh {
        code = .fresh
      } else if word == future {
        code = .distantFuture
      } else if word == 0 {
        // Zero precedes the comparisons with earlier words, which the first words do not have.
        code = .zero
      } else if word == before {
        code = .before
      } else if word == beforeThat {
        code = .beforeThat
      } else if word == past {
        code = .distantPast
      } else if n >= 4, word == record[pattern.pointee.references.first] {
        code = .firstReference
      } else if n >= 4, word == record[pattern.pointee.references.second] {
        code = .secondReference
      } else {
        let difference = Int64(bitPattern: word &- pattern.pointee.typical)
        let zigzag = UInt64(bitPattern: (difference << 1) ^ (difference >> 63))
        let length = (71 &- (zigzag | 1).leadingZeroBitCount) &>> 3
        code = WordCode(bits: UInt64(truncatingIfNeeded: length))
        bytes.storeBytes(of: zigzag, as: UInt64.self)
        bytes += length
      }
      codes |= code.bits &<< UInt64(truncatingIfNeeded: (n & 15) &* 4)
      beforeThat = before
      before = word
      n &+= 1
      if n & 15 == 0 {
        (target + n / 2 - 8).storeBytes(of: codes, as: UInt64.self)
        codes = 0
      }
    }
    // The last codes fill fewer than eight bytes. Storing eight bytes would overwrite packed words.
    var place = words / 16 * 8
    while place < Self.codeBytes {
      target.storeBytes(of: UInt8(truncatingIfNeeded: codes), toByteOffset: place, as: UInt8.self)
      codes = codes &>> 8
      place &+= 1
    }
    return bytes - target
  }

  func unpack(_ source: UnsafeRawPointer, into record: UnsafeMutablePointer<UInt64>) {
    let words = Self.words
    let (future, past) = (Self.future, Self.past)
    var bytes = source + Self.codeBytes
    var codes: UInt64 = 0
    var n = 0
    while n < words {
      if n & 15 == 0 { codes = (source + n / 2).loadUnaligned(as: UInt64.self) }
      let pattern = patterns + n
      let code = WordCode(bits: codes)
      codes = codes &>> 4
      switch code {
      case .fresh: record[n] = pattern.pointee.fresh
      case .distantFuture: record[n] = future
      case .distantPast: record[n] = past
      case .before: record[n] = record[n &- 1]
      case .beforeThat: record[n] = record[n &- 2]
      case .zero: record[n] = 0
      case .firstReference: record[n] = record[pattern.pointee.references.first]
      case .secondReference: record[n] = record[pattern.pointee.references.second]
      case .bytes1, .bytes2, .bytes3, .bytes4, .bytes5, .bytes6, .bytes7, .bytes8:
        let length = code.bits
        let zigzag = bytes.loadUnaligned(as: UInt64.self) & (~0 &>> (64 &- length &* 8))
        record[n] = pattern.pointee.typical &+ ((zigzag &>> 1) ^ (0 &- (zigzag & 1)))
        bytes += Int(truncatingIfNeeded: length)
      }
      n &+= 1
    }
  }
}
