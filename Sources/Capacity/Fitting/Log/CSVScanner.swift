internal import Core

struct CSVRecord {
  /// The line on which the row begins, from 1.
  fileprivate(set) var line = 1
  fileprivate(set) var bytes: [UInt8] = []
  /// The end of each field in `bytes`.
  fileprivate(set) var ends: [Int] = []

  var count: Int { ends.count }

  func field(_ index: Int) -> ArraySlice<UInt8> {
    bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]]
  }

  func text(_ index: Int) -> String { String(decoding: field(index), as: UTF8.self) }

  var texts: [String] { (0..<count).map(text) }

  fileprivate var isBlank: Bool { ends.count == 1 && bytes.isEmpty }

  fileprivate mutating func removeField() { bytes.removeLast(bytes.count - (ends.last ?? 0)) }

  fileprivate mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
  }
}

/// Splits RFC 4180 text into rows, chunk by chunk, in the memory of one row. The separator is that
/// of a `sep=;` line, or the most frequent of comma, semicolon, tab and bar in the first line with
/// any. Blank lines are ignored. A quote inside an unquoted field is literal.
struct CSVScanner {
  private enum State {
    case fieldStart, blank, plain, quoted, quoteInQuoted
  }

  /// The greatest length of a row, in bytes: a longer row is due to an unclosed quote.
  static let recordBytesMax = 1 << 16
  /// The greatest number of title lines without a separator above a table.
  static let titlesMax = 20

  /// The separator; nil until the first lines are known.
  private(set) var separator: UInt8?
  private var head: [UInt8] = []
  private var isJSON = false
  private var record = CSVRecord()
  private var state = State.fieldStart
  private var line = 1
  private var isAfterReturn = false
  private var hasRecord = false
  /// Whether the first row only declares the separator.
  private var leavesOut = false

  mutating func scan(
    _ chunk: [UInt8], _ take: (CSVRecord) throws(LogError) -> Void
  ) throws(LogError) {
    guard separator == nil else { return try cut(chunk[...], take) }
    head += chunk
    try open(isEnd: false, take)
  }

  mutating func finish(_ take: (CSVRecord) throws(LogError) -> Void) throws(LogError) {
    if separator == nil { try open(isEnd: true, take) }
    if isJSON { return }
    if state == .quoted {
      throw .format("line \(record.line): a quote is not closed.")
    }
    if hasRecord || !record.bytes.isEmpty || !record.ends.isEmpty { try endRecord(take) }
  }

  /// Returns the bytes so far if they are JSON instead of rows.
  mutating func takeJSON() -> [UInt8]? {
    guard isJSON else { return nil }
    defer { self = CSVScanner() }
    return head
  }

  private mutating func open(
    isEnd: Bool, _ take: (CSVRecord) throws(LogError) -> Void
  ) throws(LogError) {
    let start = head.starts(with: PlainText.mark) ? PlainText.mark.count : 0
    guard let lines = Self.firstLines(of: head[start...], isEnd: isEnd) else { return }
    try ForeignFormat.refuse(head, lines.first)
    if ForeignFormat.isJSON(line: lines.first) {
      isJSON = true
      head.removeFirst(start)
      return
    }
    let said = Self.separator(saidBy: lines.first)
    separator = said ?? Self.separator(of: lines.separated)
    leavesOut = said != nil
    let text = head[start...]
    head = []
    try cut(text, take)
  }

  /// Returns the two lines that decide the format: the first nonblank line, and the first line with
  /// a separator near the top, each 64 KiB at most. Returns nil if more input could change a line.
  private static func firstLines(
    of text: ArraySlice<UInt8>, isEnd: Bool
  ) -> (first: ArraySlice<UInt8>, separated: ArraySlice<UInt8>)? {
    func isBreak(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }
    var rest = text
    var first: ArraySlice<UInt8>?
    for _ in 0..<titlesMax {
      rest = rest.drop(while: isBreak)
      let line = rest.prefix(recordBytesMax).prefix { !isBreak($0) }
      guard isEnd || line.count < rest.count || line.count == recordBytesMax else { return nil }
      if line.contains(where: separators.contains) { return (first ?? line, line) }
      first = first ?? line
      rest = rest[line.endIndex...]
    }
    return first.map { ($0, $0) }
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
      case .fieldStart, .blank, .plain, .quoteInQuoted:
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
          // A doubled quote within quotes is one character. A quote at the start of a field opens a
          // quoted field, and blanks before the quote are dropped.
          if state == .quoteInQuoted { try append(byte) }
          if state == .blank { record.removeField() }
          state = .quoted
          hasRecord = true
        } else {
          if state == .fieldStart || state == .blank {
            state = byte == 0x20 || byte == 0x09 ? .blank : .plain
          }
          hasRecord = true
          try append(byte)
        }
      }
    }
  }

  private mutating func append(_ byte: UInt8) throws(LogError) {
    guard record.bytes.count < Self.recordBytesMax else {
      throw .format(
        "line \(record.line): the row has more than \(Self.recordBytesMax) bytes; check for "
          + "an unclosed quote, or for a file that is not CSV.")
    }
    record.bytes.append(byte)
  }

  private mutating func endRecord(
    _ take: (CSVRecord) throws(LogError) -> Void
  ) throws(LogError) {
    record.ends.append(record.bytes.count)
    if leavesOut, !record.isBlank {
      leavesOut = false
    } else if !record.isBlank {
      try take(record)
    }
    record.removeAll()
    state = .fieldStart
    hasRecord = false
  }

  private static let separators: [UInt8] = [0x2C, 0x3B, 0x09, 0x7C]

  /// Returns the separator of a `sep=;` line, quoted or not; nil for other lines.
  private static func separator(saidBy line: ArraySlice<UInt8>) -> UInt8? {
    let word = line.filter { $0 != 0x22 }
    guard word.count == 5, let last = word.last, separators.contains(last),
      word.starts(with: Array("sep=".utf8)) || word.starts(with: Array("SEP=".utf8))
    else { return nil }
    return last
  }

  /// Returns the most frequent separator outside quotes; a comma if there is none.
  private static func separator(of head: ArraySlice<UInt8>) -> UInt8 {
    var counts = [Int](repeating: 0, count: separators.count)
    var isQuoted = false
    for byte in head {
      if byte == 0x22 { isQuoted.toggle() }
      if isQuoted { continue }
      if let index = separators.firstIndex(of: byte) { counts[index] += 1 }
    }
    let most = counts.max() ?? 0
    return most == 0 ? 0x2C : separators[counts.firstIndex(of: most) ?? 0]
  }
}
