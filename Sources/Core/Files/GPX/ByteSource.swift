/// A file's characters as pieces of ASCII, in constant memory. A gzip file is decompressed.
///
/// The parts of interest (element names, numbers, times) are ASCII. UTF-16 is narrowed. Every other
/// character becomes a letter that is in no name and no number, so the encoding that the file
/// declares does not matter.
package struct ByteSource: ~Copyable {
  /// The limit of a file's size. A point takes 100 to 500 bytes, so a million points fit.
  package static let bytesMax = 512 << 20

  private enum Width {
    case bytes
    case pairs(isBigEndian: Bool)
  }

  static let foreign = UInt8(ascii: "Q")

  private let refill: (Int) throws(GPXError) -> [UInt8]
  private var rest: [UInt8]
  private let width: Width
  private(set) var line = 1
  private(set) var column = 0

  static let chunkSize = 1 << 16

  /// - Parameter unpackedMax: the limit of an unpacked gzip file.
  /// - Parameter packed: returns at most the next `count` bytes; none at the end.
  package init(
    unpackedMax: Int = Self.bytesMax,
    refill packed: @escaping (Int) throws(GPXError) -> [UInt8]
  ) throws(GPXError) {
    let refill = try Gunzip.unpacking(bytesMax: unpackedMax, packed)
    let head = try refill(Self.chunkSize)
    let mark: Int
    (mark, width) = try Self.width(of: head)
    rest = Array(head.dropFirst(mark))
    self.refill = refill
  }

  package static func bytes(
    _ bytes: [UInt8], unpackedMax: Int = Self.bytesMax
  ) throws(GPXError) -> ByteSource {
    var rest = bytes[...]
    return try ByteSource(unpackedMax: unpackedMax) { (count) throws(GPXError) in
      defer { rest = rest.dropFirst(count) }
      return Array(rest.prefix(count))
    }
  }

  mutating func next() throws(GPXError) -> [UInt8] {
    var bytes = rest
    rest = []
    while bytes.count < 2 {
      let more = try refill(Self.chunkSize)
      if more.isEmpty { break }
      bytes += more
    }
    switch width {
    case .bytes: bytes = bytes.map { $0 < 0x80 ? $0 : Self.foreign }
    case .pairs(let isBigEndian):
      guard bytes.count != 1 else {
        throw .broken("ends in the middle of a UTF-16 character", line: line, column: column)
      }
      rest = bytes.suffix(bytes.count % 2)
      bytes = stride(from: 0, to: bytes.count - 1, by: 2).map { place in
        let (first, second) = (bytes[place], bytes[place + 1])
        let (high, low) = isBigEndian ? (first, second) : (second, first)
        return high == 0 && low < 0x80 ? low : Self.foreign
      }
    }
    let lines = bytes.count { $0 == 0x0A }
    line += lines
    column = bytes.lastIndex(of: 0x0A).map { bytes.count - 1 - $0 } ?? column + bytes.count
    return bytes
  }

  /// Detects the width by the byte-order mark or the first `<`; throws for other known formats.
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
