/// A file's characters as a stream of bytes, in constant memory, unpacked where it is gzip.
///
/// What a recording is made of (element names, numbers, times) is ASCII. An 8-bit encoding is
/// passed through as it is, whatever the file declares; UTF-16 is narrowed, and what does not fit
/// becomes one byte that nothing compares equal to. So no encoding has to be trusted.
package struct ByteSource: ~Copyable {
  /// The greatest number of bytes of a file, packed or not. A point takes 100 to 500 bytes, so the
  /// largest file that has not too many points fits.
  package static let bytesMax = 512 << 20

  private enum Width {
    case bytes
    case pairs(isBigEndian: Bool)
  }

  /// Stands for a character beyond ASCII of a UTF-16 file.
  static let foreign: UInt8 = 0xBF

  private let refill: (Int) throws(GPXError) -> [UInt8]
  private var chunk: [UInt8]
  private var cursor: Int
  private var width: Width
  private(set) var line = 1
  private(set) var column = 0

  static let chunkSize = 1 << 16

  /// Begins with the file's first bytes.
  ///
  /// - Parameters:
  ///   - unpackedMax: a gzip file that holds more is refused.
  ///   - packed: the next bytes of the file, at most so many; none at the end.
  package init(
    unpackedMax: Int = Self.bytesMax,
    refill packed: @escaping (Int) throws(GPXError) -> [UInt8]
  ) throws(GPXError) {
    var refill = packed
    var chunk = try refill(Self.chunkSize)
    if chunk.starts(with: Gunzip.magic) {
      let gunzip = try Gunzip(chunk, bytesMax: unpackedMax, refill: packed)
      refill = { (count) throws(GPXError) in try gunzip.next(count) }
      chunk = try refill(Self.chunkSize)
    }
    (cursor, width) = try Self.width(of: chunk)
    self.chunk = chunk
    self.refill = refill
  }

  /// Returns a source of bytes that are there already.
  package static func bytes(
    _ bytes: [UInt8], unpackedMax: Int = Self.bytesMax
  ) throws(GPXError) -> ByteSource {
    var rest = bytes[...]
    return try ByteSource(unpackedMax: unpackedMax) { (count) throws(GPXError) in
      defer { rest = rest.dropFirst(count) }
      return Array(rest.prefix(count))
    }
  }

  /// The next character; nil at the end of the file.
  mutating func next() throws(GPXError) -> UInt8? {
    switch width {
    case .bytes:
      guard let byte = try raw() else { return nil }
      advance(byte)
      return byte
    case .pairs(let isBigEndian):
      guard let first = try raw() else { return nil }
      guard let second = try raw() else {
        throw .broken("ends in the middle of a UTF-16 character", line: line, column: column)
      }
      let (high, low) = isBigEndian ? (first, second) : (second, first)
      let byte = high == 0 && low < 0x80 ? low : Self.foreign
      advance(byte)
      return byte
    }
  }

  private mutating func advance(_ byte: UInt8) {
    if byte == 0x0A {
      line += 1
      column = 0
    } else {
      column += 1
    }
  }

  private mutating func raw() throws(GPXError) -> UInt8? {
    if cursor == chunk.count {
      if chunk.isEmpty { return nil }
      chunk = try refill(Self.chunkSize)
      cursor = 0
      if chunk.isEmpty { return nil }
    }
    defer { cursor += 1 }
    return chunk[cursor]
  }

  /// From the byte-order mark, or from how `<` is written; a known other format is named.
  private static func width(of head: [UInt8]) throws(GPXError) -> (mark: Int, Width) {
    if head.starts(with: PlainText.mark) { return (PlainText.mark.count, .bytes) }
    if head.starts(with: [0, 0, 0xFE, 0xFF]) || head.starts(with: [0xFF, 0xFE, 0, 0]) {
      throw .foreign("is UTF-32; save it as UTF-8")
    }
    if head.starts(with: [0xFE, 0xFF]) { return (2, .pairs(isBigEndian: true)) }
    if head.starts(with: [0xFF, 0xFE]) { return (2, .pairs(isBigEndian: false)) }
    if head.starts(with: [0, 0x3C]) { return (0, .pairs(isBigEndian: true)) }
    if head.starts(with: [0x3C, 0]) { return (0, .pairs(isBigEndian: false)) }
    for format in formats where head.dropFirst(format.at).starts(with: format.magic) {
      throw .foreign(format.advice)
    }
    return (0, .bytes)
  }

  private static let formats: [(at: Int, magic: [UInt8], advice: String)] = [
    (0, [0x50, 0x4B, 3, 4], "is a ZIP archive (or KMZ); unpack it and name the GPX inside"),
    (0, Gunzip.magic, "is gzip-compressed twice; unpack it once"),
    (0, Array("BZh".utf8), "is bzip2-compressed; unpack it first"),
    (0, [0xFD, 0x37, 0x7A, 0x58, 0x5A], "is xz-compressed; unpack it first"),
    (0, [0x28, 0xB5, 0x2F, 0xFD], "is zstd-compressed; unpack it first"),
    (0, [0x37, 0x7A, 0xBC, 0xAF], "is a 7z archive; unpack it first"),
    (0, Array("Rar!".utf8), "is a RAR archive; unpack it first"),
    (8, Array(".FIT".utf8), "is a FIT file; convert it to GPX"),
    (0, Array("%PDF".utf8), "is a PDF"),
  ]
}
