/// Is one row of a table: its fields, without their quotes, one after the other.
struct CSVRecord {
  /// The line on which the row begins, from 1.
  fileprivate(set) var line = 1
  fileprivate(set) var bytes: [UInt8] = []
  /// Where each field ends in `bytes`.
  fileprivate(set) var ends: [Int] = []

  var count: Int { ends.count }

  func field(_ index: Int) -> ArraySlice<UInt8> {
    bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]]
  }

  func text(_ index: Int) -> String { String(decoding: field(index), as: UTF8.self) }

  var texts: [String] { (0..<count).map(text) }

  fileprivate var isBlank: Bool { ends.count == 1 && bytes.isEmpty }

  fileprivate mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
  }
}

/// Cuts RFC 4180 into rows, a chunk of bytes at a time and in the memory of one row.
///
/// Fields are separated by what the first line has most of: comma, semicolon, tab or bar. Rows end
/// with LF, CR LF or CR; blank lines are no rows. A quote within a field that does not begin with
/// one is a character like any other.
struct CSVScanner {
  private enum State {
    case fieldStart, plain, quoted, quoteInQuoted
  }

  /// A longer row is a quote that nobody closed.
  static let recordBytesMax = 1 << 16

  /// Nil until the first line is known.
  private(set) var separator: UInt8?
  private var head: [UInt8] = []
  private var record = CSVRecord()
  private var state = State.fieldStart
  private var line = 1
  private var isAfterReturn = false
  private var hasRecord = false

  /// Takes the next bytes and hands over each row that they complete.
  mutating func scan(
    _ chunk: [UInt8], _ take: (CSVRecord) throws(LogError) -> Void
  ) throws(LogError) {
    guard separator == nil else { return try cut(chunk[...], take) }
    head += chunk
    guard head.contains(where: { $0 == 0x0A || $0 == 0x0D }) || head.count > Self.recordBytesMax
    else { return }
    try open(take)
  }

  /// Hands over a last row that has no line break.
  mutating func finish(_ take: (CSVRecord) throws(LogError) -> Void) throws(LogError) {
    if separator == nil { try open(take) }
    if state == .quoted {
      throw .format("line \(record.line): a quote is opened and never closed.")
    }
    if hasRecord || !record.bytes.isEmpty || !record.ends.isEmpty { try endRecord(take) }
  }

  private mutating func open(
    _ take: (CSVRecord) throws(LogError) -> Void
  ) throws(LogError) {
    try Self.refuseForeign(head)
    let start = head.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    separator = Self.separator(of: head[start...])
    let first = head[start...]
    head = []
    try cut(first, take)
  }

  private mutating func cut(
    _ bytes: ArraySlice<UInt8>, _ take: (CSVRecord) throws(LogError) -> Void
  ) throws(LogError) {
    let separator = separator ?? 0x2C
    for byte in bytes {
      let wasReturn = isAfterReturn
      isAfterReturn = false
      switch state {
      case .quoted:
        if byte == 0x22 {
          state = .quoteInQuoted
        } else {
          if byte == 0x0A { line += 1 }
          try append(byte)
        }
      case .fieldStart, .plain, .quoteInQuoted:
        if byte == separator {
          record.ends.append(record.bytes.count)
          state = .fieldStart
          hasRecord = true
        } else if byte == 0x0A {
          if wasReturn, !hasRecord { continue }
          try endRecord(take)
          line += 1
          record.line = line
        } else if byte == 0x0D {
          try endRecord(take)
          line += 1
          record.line = line
          isAfterReturn = true
        } else if byte == 0x22, state != .plain {
          // Twice within quotes it is one; at a field's start it opens them.
          if state == .quoteInQuoted { try append(byte) }
          state = .quoted
          hasRecord = true
        } else {
          if state == .fieldStart { state = .plain }
          hasRecord = true
          try append(byte)
        }
      }
    }
  }

  private mutating func append(_ byte: UInt8) throws(LogError) {
    guard record.bytes.count < Self.recordBytesMax else {
      throw .format(
        "line \(record.line): the row has more than \(Self.recordBytesMax) bytes; is a quote "
          + "never closed, or is it no CSV file?")
    }
    record.bytes.append(byte)
  }

  private mutating func endRecord(
    _ take: (CSVRecord) throws(LogError) -> Void
  ) throws(LogError) {
    record.ends.append(record.bytes.count)
    if !record.isBlank { try take(record) }
    record.removeAll()
    state = .fieldStart
    hasRecord = false
  }

  /// What the first line has most of outside quotes; a comma where it has none.
  private static func separator(of head: ArraySlice<UInt8>) -> UInt8 {
    let candidates: [UInt8] = [0x2C, 0x3B, 0x09, 0x7C]
    var counts = [Int](repeating: 0, count: candidates.count)
    var isQuoted = false
    for byte in head {
      if byte == 0x22 { isQuoted.toggle() }
      if isQuoted { continue }
      if byte == 0x0A || byte == 0x0D {
        if counts.contains(where: { $0 > 0 }) { break }
        continue
      }
      if let index = candidates.firstIndex(of: byte) { counts[index] += 1 }
    }
    let most = counts.max() ?? 0
    return most == 0 ? 0x2C : candidates[counts.firstIndex(of: most) ?? 0]
  }

  private static let formats: [(magic: [UInt8], advice: String)] = [
    ([0x1F, 0x8B], "is gzip-compressed; unpack it first: gunzip -k FILE."),
    ([0x50, 0x4B, 3, 4], "is a ZIP archive, as spreadsheets are; save it as CSV."),
    ([0x28, 0xB5, 0x2F, 0xFD], "is zstd-compressed; unpack it first."),
    (Array("BZh".utf8), "is bzip2-compressed; unpack it first."),
    (Array("SQLite format 3".utf8), "is a SQLite store; write its fixes with flotilla export."),
    (Array("PAR1".utf8), "is a Parquet file; save it as CSV."),
    ([0xFF, 0xFE], "is UTF-16; save it as UTF-8."),
    ([0xFE, 0xFF], "is UTF-16; save it as UTF-8."),
  ]

  private static func refuseForeign(_ head: [UInt8]) throws(LogError) {
    if let format = formats.first(where: { head.starts(with: $0.magic) }) {
      throw .format(format.advice)
    }
    if head.prefix(1_024).contains(0) {
      throw .format("is no text: it holds zero bytes; save it as CSV in UTF-8.")
    }
  }
}
