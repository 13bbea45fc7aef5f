/// Reads HTTP/1.1 requests (RFC 9112) from bytes in any pieces.
///
///     head ──▶ length N ▶ N bytes ─┐
///      ▲  └──▶ chunked ▶ size ⇄ data ┤
///      └──────────── whole ◀────────┘
///
/// The reader is strict where lenient readers could disagree. Lines end in CRLF, fields are not
/// folded, and a request has at most one length, and none if it is chunked.
struct HTTP1Reader {
  enum Event: Equatable {
    case more
    case head
    /// The request is complete. Remaining bytes belong to the next request.
    case whole
    /// The request is invalid and gets this status before the connection closes.
    case refused(Int)
  }

  private enum Place { case head, body(left: Int), size, data(left: Int), dataEnd, trailer, failed }

  private var place = Place.head
  private var line: [UInt8] = []
  private let headMax: Int
  private(set) var keepsOpen = true
  /// Whether the client expects 100-continue.
  private(set) var awaitsContinue = false

  /// The limit in bytes of a chunk's size line or of a trailer line.
  private static let lineMax = 1_024
  /// The limit of one chunk, 16 MiB, larger than the chunks of any sender of pushes.
  private static let chunkMax = 1 << 24

  init(headMax: Int) { self.headMax = headMax }

  /// Consumes a prefix of `bytes`, adds header fields to `fields`, and passes pieces to `body`.
  mutating func read(
    _ bytes: inout Slice<UnsafeRawBufferPointer>, _ fields: inout HTTPFields,
    _ body: (UnsafeRawBufferPointer) -> Void
  ) -> Event {
    while true {
      switch place {
      case .head:
        guard takeLine(&bytes, end: Self.headEnd, most: headMax) else {
          return line.count > headMax ? fail(431) : .more
        }
        return readHead(&fields)
      case .body(0): return whole()
      case .trailer:
        if isEndOfTrailer(&bytes) { return whole() }
        return line.count > Self.lineMax ? fail(400) : .more
      case .body(let left):
        guard let taken = give(&bytes, left, body) else { return .more }
        place = .body(left: left - taken)
      case .size:
        guard takeLine(&bytes, end: Self.lineEnd, most: Self.lineMax) else {
          return line.count > Self.lineMax ? fail(400) : .more
        }
        guard let size = Self.chunkSize(line) else { return fail(400) }
        line.removeAll(keepingCapacity: true)
        place = size == 0 ? .trailer : .data(left: size)
      case .data(0): place = .dataEnd
      case .data(let left):
        guard let taken = give(&bytes, left, body) else { return .more }
        place = .data(left: left - taken)
      case .dataEnd:
        guard takeLine(&bytes, end: Self.lineEnd, most: 2) else {
          return line.count >= 2 ? fail(400) : .more
        }
        guard line.count == 2 else { return fail(400) }
        line.removeAll(keepingCapacity: true)
        place = .size
      case .failed: return .refused(400)
      }
    }
  }

  private static let headEnd: [UInt8] = [13, 10, 13, 10]
  private static let lineEnd: [UInt8] = [13, 10]

  private mutating func fail(_ status: Int) -> Event {
    place = .failed
    return .refused(status)
  }

  private mutating func whole() -> Event {
    place = .head
    line.removeAll(keepingCapacity: true)
    return .whole
  }

  private mutating func takeLine(
    _ bytes: inout Slice<UnsafeRawBufferPointer>, end: [UInt8], most: Int
  ) -> Bool {
    while let byte = bytes.popFirst() {
      line.append(byte)
      if byte == 10, line.count >= end.count, line.suffix(end.count).elementsEqual(end) {
        return true
      }
      if line.count > most { return false }
    }
    return false
  }

  private mutating func give(
    _ bytes: inout Slice<UnsafeRawBufferPointer>, _ left: Int,
    _ body: (UnsafeRawBufferPointer) -> Void
  ) -> Int? {
    guard !bytes.isEmpty else { return nil }
    let piece = bytes.prefix(left)
    body(UnsafeRawBufferPointer(rebasing: piece))
    bytes = bytes.dropFirst(piece.count)
    return piece.count
  }

  private mutating func isEndOfTrailer(_ bytes: inout Slice<UnsafeRawBufferPointer>) -> Bool {
    while takeLine(&bytes, end: Self.lineEnd, most: Self.lineMax) {
      if line.count == 2 { return true }
      line.removeAll(keepingCapacity: true)
    }
    return false
  }

  private static func chunkSize(_ line: [UInt8]) -> Int? {
    let digits = line.dropLast(2).prefix { $0 != UInt8(ascii: ";") && $0 != 32 }
    guard (1...8).contains(digits.count) else { return nil }
    var size = 0
    for digit in digits {
      guard let value = Character(UnicodeScalar(digit)).hexDigitValue else { return nil }
      size = size << 4 | value
    }
    return size <= chunkMax ? size : nil
  }

  // MARK: the header

  private mutating func readHead(_ fields: inout HTTPFields) -> Event {
    let lines = line.dropLast(4).split(separator: 10, omittingEmptySubsequences: false)
    var rows = lines.enumerated().map { place, row in
      place == lines.count - 1 ? row : row.last == 13 ? row.dropLast() : row.dropLast(row.count)
    }
    guard !rows.isEmpty, let version = Self.requestLine(rows.removeFirst(), &fields) else {
      return fail(400)
    }
    keepsOpen = version == 1
    awaitsContinue = false
    var length: Int?
    var isChunked = false
    for row in rows {
      guard let (name, value) = Self.field(row) else { return fail(400) }
      switch String(decoding: name, as: UTF8.self) {
      case "content-length":
        guard length == nil, let number = Self.number(value) else { return fail(400) }
        length = number
      case "transfer-encoding":
        guard !isChunked, Self.lowered(value) == Array("chunked".utf8) else { return fail(501) }
        isChunked = true
      case "connection":
        let words = String(decoding: Self.lowered(value), as: UTF8.self)
        if words.contains("close") { keepsOpen = false }
      case "expect": awaitsContinue = Self.lowered(value) == Array("100-continue".utf8)
      default: break
      }
      name.withUnsafeBytes { name in value.withUnsafeBytes { fields.add(name, $0) } }
    }
    guard !isChunked || length == nil else { return fail(400) }
    line.removeAll(keepingCapacity: true)
    place = isChunked ? .size : .body(left: length ?? 0)
    return .head
  }

  private static func requestLine(_ row: ArraySlice<UInt8>, _ fields: inout HTTPFields) -> Int? {
    let words = row.split(separator: 32, omittingEmptySubsequences: false)
    guard words.count == 3, !words[0].isEmpty, words[0].allSatisfy(isNameByte),
      words[1].first == UInt8(ascii: "/"), words[1].allSatisfy({ (0x21...0x7E).contains($0) }),
      words[2].dropLast().elementsEqual("HTTP/1.".utf8),
      let minor = words[2].last, minor == 0x30 || minor == 0x31
    else { return nil }
    words[0].withUnsafeBytes { fields.add(":method", $0) }
    words[1].withUnsafeBytes { fields.add(":path", $0) }
    return Int(minor - 0x30)
  }

  private static func field(_ row: ArraySlice<UInt8>) -> (name: [UInt8], value: [UInt8])? {
    guard let colon = row.firstIndex(of: UInt8(ascii: ":")), colon > row.startIndex,
      row[..<colon].allSatisfy(isNameByte)
    else { return nil }
    var value = row[(colon + 1)...]
    while let first = value.first, first == 32 || first == 9 { value = value.dropFirst() }
    while let last = value.last, last == 32 || last == 9 { value = value.dropLast() }
    guard value.allSatisfy({ $0 >= 32 && $0 != 127 || $0 == 9 }) else { return nil }
    return (lowered(Array(row[..<colon])), Array(value))
  }

  private static func lowered(_ bytes: [UInt8]) -> [UInt8] {
    bytes.map { (0x41...0x5A).contains($0) ? $0 + 32 : $0 }
  }

  /// Returns whether `byte` may occur in a field name (a token of RFC 9110, 5.6.2).
  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }

  private static func number(_ text: [UInt8]) -> Int? {
    guard (1...12).contains(text.count), text.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return text.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }
}
