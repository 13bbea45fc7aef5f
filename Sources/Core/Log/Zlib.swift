/// The part of zlib that needs no compressor: stored blocks and their checksum.
enum Zlib {
  /// The limit of a stored block, whose length is a 16-bit number (RFC 1951, 3.2.4).
  private static let blockBytesMax = 65_535

  static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var stream: [UInt8] = [0x78, 0x01]  // Deflate with a 32 KiB window, no dictionary.
    var rest = bytes[...]
    repeat {
      let block = rest.prefix(blockBytesMax)
      rest = rest.dropFirst(block.count)
      stream.append(rest.isEmpty ? 1 : 0)
      let length = UInt16(block.count)
      for word in [length, ~length] {
        stream.append(UInt8(truncatingIfNeeded: word))
        stream.append(UInt8(truncatingIfNeeded: word >> 8))
      }
      stream += block
    } while !rest.isEmpty
    let check = adler32(bytes[...])
    for shift in [24, 16, 8, 0] as [UInt32] {
      stream.append(UInt8(truncatingIfNeeded: check >> shift))
    }
    return stream
  }

  static func contents(
    ofStored stream: ArraySlice<UInt8>
  ) throws(HistogramCodecError) -> [UInt8] {
    var rest = stream
    guard rest.count >= 2 else { throw .truncated }
    // The header means deflate without a dictionary, and is a multiple of 31 (RFC 1950, 2.2).
    guard rest.popFirst() == 0x78, let flags = rest.popFirst(), flags & 0x20 == 0,
      (0x7800 + Int(flags)) % 31 == 0
    else { throw .damaged }
    var bytes: [UInt8] = []
    var isLast = false
    while !isLast {
      guard rest.count >= 5, let head = rest.popFirst() else { throw .truncated }
      guard head & 0x06 == 0 else { throw .compressed }
      isLast = head & 1 == 1
      let words = Array(rest.prefix(4))
      rest = rest.dropFirst(4)
      let length = UInt16(words[0]) | UInt16(words[1]) << 8
      guard length == ~(UInt16(words[2]) | UInt16(words[3]) << 8) else { throw .damaged }
      guard rest.count >= Int(length) else { throw .truncated }
      bytes += rest.prefix(Int(length))
      rest = rest.dropFirst(Int(length))
    }
    guard rest.count >= 4 else { throw .truncated }
    let check = rest.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard check == adler32(bytes[...]) else { throw .damaged }
    return bytes
  }

  /// Returns the Adler-32 checksum (RFC 1950, section 8.2).
  static func adler32(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    var a: UInt32 = 1
    var b: UInt32 = 0
    for byte in bytes {
      a = (a + UInt32(byte)) % 65_521
      b = (b + a) % 65_521
    }
    return b << 16 | a
  }
}
