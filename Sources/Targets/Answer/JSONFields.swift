internal import Core

/// Reads the named fields of a JSON text and skips the rest in one pass, without allocating values.
package struct JSONFields: Sendable {
  /// The maximum nesting; deeper texts do not count as JSON.
  static let depthMax = 64
  /// The maximum length of a value in bytes; longer strings are cut.
  static let valueBytesMax = 4_096
  package static let pathsMax = 64

  /// The text of each path's value: a string without quotes, a number or word as written, `{` for
  /// an object, or `[` for a list; nil for a missing value.
  package private(set) var values: [String?]
  /// Whether the text is JSON; with `stopsEarly`, only the part that was read is checked.
  package private(set) var isJSON = false

  /// - Parameter paths: at most `pathsMax`. `stopsEarly` ends reading once every path has a value.
  package init(_ text: UnsafeRawBufferPointer, paths: [FieldPath], stopsEarly: Bool = false) {
    precondition(paths.count <= Self.pathsMax, "too many paths")
    var scanner = Scanner(text: text, paths: paths, stopsEarly: stopsEarly)
    values = Array(repeating: nil, count: paths.count)
    scanner.values = values
    isJSON = scanner.document()
    values = scanner.values
  }
}

private struct Scanner {
  let text: UnsafeRawBufferPointer
  let paths: [FieldPath]
  let stopsEarly: Bool
  var values: [String?] = []
  var at = 0
  private var missing: Int

  init(text: UnsafeRawBufferPointer, paths: [FieldPath], stopsEarly: Bool) {
    self.text = text
    self.paths = paths
    self.stopsEarly = stopsEarly
    missing = paths.count
  }

  private var isDone: Bool { stopsEarly && missing == 0 && !paths.isEmpty }

  mutating func document() -> Bool {
    // Some servers put a byte order mark in front, which a reader may ignore (RFC 8259, 8.1).
    if text.starts(with: PlainText.mark) { at = PlainText.mark.count }
    skipBlanks()
    let all = paths.count == 64 ? UInt64.max : (1 << UInt64(paths.count)) - 1
    guard value(alive: all, depth: 0) else { return isDone }
    skipBlanks()
    return at == text.count
  }

  private var next: UInt8? { at < text.count ? text[at] : nil }

  private mutating func skipBlanks() {
    while at < text.count {
      switch text[at] {
      case 0x20, 0x09, 0x0A, 0x0D: at += 1
      case _: return
      }
    }
  }

  /// - Parameter alive: a bit for each path whose first `depth` keys led to this value.
  /// - Returns: false if the text is no JSON, or the rest need not be read.
  private mutating func value(alive: UInt64, depth: Int) -> Bool {
    guard depth < JSONFields.depthMax, let first = next else { return false }
    let ends = ending(alive, at: depth)
    switch first {
    case 0x7B:
      record("{", ends)
      return members(alive: alive & ~ends, depth: depth) && !isDone
    case 0x5B:
      record("[", ends)
      return items(alive: alive & ~ends, depth: depth) && !isDone
    case 0x22:
      if ends == 0 { return skipString() }
      guard let string = string() else { return false }
      record(string, ends)
    case _:
      let start = at
      while let byte = next, Self.isWord(byte) { at += 1 }
      let word = String(decoding: text[start..<at], as: UTF8.self)
      guard JSONLiteral.isOne(word) else { return false }
      record(word, ends)
    }
    return !isDone
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2E: true
    case _: false
    }
  }

  private mutating func members(alive: UInt64, depth: Int) -> Bool {
    at += 1
    skipBlanks()
    if next == 0x7D {
      at += 1
      return true
    }
    while true {
      guard next == 0x22 else { return false }
      var inner: UInt64 = 0
      if alive == 0 {
        guard skipString() else { return false }
      } else {
        guard let key = string() else { return false }
        inner = matching(alive, key: key, at: depth)
      }
      skipBlanks()
      guard next == 0x3A else { return false }
      at += 1
      skipBlanks()
      guard value(alive: inner, depth: depth + 1) else { return false }
      skipBlanks()
      guard let byte = next, byte == 0x2C || byte == 0x7D else { return false }
      at += 1
      if byte == 0x7D { return true }
      skipBlanks()
    }
  }

  private mutating func items(alive: UInt64, depth: Int) -> Bool {
    at += 1
    skipBlanks()
    if next == 0x5D {
      at += 1
      return true
    }
    var index = 0
    while true {
      let inner = alive == 0 ? 0 : matching(alive, key: "\(index)", at: depth)
      guard value(alive: inner, depth: depth + 1) else { return false }
      index += 1
      skipBlanks()
      guard let byte = next, byte == 0x2C || byte == 0x5D else { return false }
      at += 1
      if byte == 0x5D { return true }
      skipBlanks()
    }
  }

  private func ending(_ alive: UInt64, at depth: Int) -> UInt64 {
    select(alive) { $0.keys.count == depth }
  }

  private func matching(_ alive: UInt64, key: String, at depth: Int) -> UInt64 {
    select(alive) { $0.keys.count > depth && $0.keys[depth] == key }
  }

  private func select(_ alive: UInt64, _ holds: (FieldPath) -> Bool) -> UInt64 {
    var rest = alive
    var selected: UInt64 = 0
    while rest != 0 {
      let index = rest.trailingZeroBitCount
      rest &= rest - 1
      if holds(paths[index]) { selected |= 1 << UInt64(index) }
    }
    return selected
  }

  /// Records a value for the paths that end at it. The first value of a repeated key counts.
  private mutating func record(_ value: String, _ ends: UInt64) {
    var rest = ends
    while rest != 0 {
      let index = rest.trailingZeroBitCount
      rest &= rest - 1
      if values[index] == nil {
        values[index] = value
        missing -= 1
      }
    }
  }

  private mutating func skipString() -> Bool {
    at += 1
    while let byte = next {
      switch byte {
      case 0x22:
        at += 1
        return true
      case 0x5C: if escape() == nil { return false }
      case 0..<0x20: return false
      case _: at += 1
      }
    }
    return false
  }

  private mutating func string() -> String? {
    at += 1
    var bytes: [UInt8] = []
    while let byte = next {
      switch byte {
      case 0x22:
        at += 1
        return String(decoding: bytes.prefix(JSONFields.valueBytesMax), as: UTF8.self)
      case 0x5C:
        guard let scalar = escape() else { return nil }
        if bytes.count < JSONFields.valueBytesMax { bytes += Array(String(scalar).utf8) }
      case 0..<0x20: return nil
      case _:
        if bytes.count < JSONFields.valueBytesMax { bytes.append(byte) }
        at += 1
      }
    }
    return nil
  }

  private mutating func escape() -> Unicode.Scalar? {
    at += 1
    guard let byte = next else { return nil }
    at += 1
    switch byte {
    case 0x22, 0x5C, 0x2F: return Unicode.Scalar(byte)
    case 0x62: return "\u{8}"
    case 0x66: return "\u{C}"
    case 0x6E: return "\n"
    case 0x72: return "\r"
    case 0x74: return "\t"
    case 0x75:
      guard let high = unit() else { return nil }
      guard (0xD800..<0xDC00).contains(high) else {
        return Unicode.Scalar(high) ?? "\u{FFFD}"
      }
      guard next == 0x5C, at + 1 < text.count, text[at + 1] == 0x75 else { return "\u{FFFD}" }
      at += 2
      guard let low = unit() else { return nil }
      guard (0xDC00..<0xE000).contains(low) else { return "\u{FFFD}" }
      return Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00)) ?? "\u{FFFD}"
    case _: return nil
    }
  }

  private mutating func unit() -> UInt32? {
    guard at + 4 <= text.count else { return nil }
    let digits = String(decoding: text[at..<at + 4], as: UTF8.self)
    guard digits.utf8.count == 4, digits.allSatisfy(\.isHexDigit) else { return nil }
    at += 4
    return UInt32(digits, radix: 16)
  }
}
