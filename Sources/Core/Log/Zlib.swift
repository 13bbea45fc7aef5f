internal import CDeflate

/// The part of zlib that compresses nothing: stored blocks and their checksum.
enum Zlib {
  static func stored(_ bytes: [UInt8]) -> [UInt8] {
    // Level 0 stores.
    guard let compressor = libdeflate_alloc_compressor(0) else {
      fatalError("libdeflate: no memory for a compressor")
    }
    defer { libdeflate_free_compressor(compressor) }
    let bytesMax = libdeflate_zlib_compress_bound(compressor, bytes.count)
    return [UInt8](unsafeUninitializedCapacity: bytesMax) { stream, count in
      count = libdeflate_zlib_compress(
        compressor, bytes, bytes.count, stream.baseAddress, bytesMax)
    }
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
    bytes.withUnsafeBytes { libdeflate_adler32(1, $0.baseAddress, $0.count) }
  }
}
