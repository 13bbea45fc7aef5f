struct JSONSyntaxError: Error, Equatable {
  /// The end of a sentence.
  var text: String
}

/// A parsed JSON text that keeps its numbers as written.
indirect enum JSONNode {
  case object([(key: String, value: JSONNode)])
  case list([JSONNode])
  /// A string without escapes, or a number, `true` or `false` as written.
  case text(ArraySlice<UInt8>)
  /// `null`, or `NaN` as some libraries write it.
  case nothing

  init(_ bytes: [UInt8]) throws(JSONSyntaxError) {
    var parser = JSONParser(bytes: bytes[...])
    self = try parser.value(depth: 0)
    try parser.end()
  }

  subscript(_ key: String) -> JSONNode? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == key }?.value
  }

  var text: ArraySlice<UInt8>? {
    if case .text(let text) = self { text } else { nil }
  }
}

private struct JSONParser {
  private static let depthMax = 64

  let bytes: ArraySlice<UInt8>
  private var at: Int

  init(bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    at = bytes.startIndex
  }

  mutating func end() throws(JSONSyntaxError) {
    skipBlanks()
    if at < bytes.endIndex { throw fault("has more text") }
  }

  mutating func value(depth: Int) throws(JSONSyntaxError) -> JSONNode {
    guard depth < Self.depthMax else { throw fault("has more than \(Self.depthMax) levels") }
    skipBlanks()
    if take(UInt8(ascii: "{")) { return try object(depth: depth) }
    if take(UInt8(ascii: "[")) { return try list(depth: depth) }
    if take(UInt8(ascii: "\"")) { return .text(try string()) }
    let word = bytes[at...].prefix { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || "+-.".utf8.contains(byte)
    }
    at = word.endIndex
    guard let first = word.first else { throw fault("has no value") }
    if (0x30...0x39).contains(first) || first == 0x2D { return .text(word) }
    switch String(decoding: word, as: UTF8.self) {
    case "true", "false": return .text(word)
    case "null", "NaN": return .nothing
    case _: throw fault("has an unknown word")
    }
  }

  private mutating func object(depth: Int) throws(JSONSyntaxError) -> JSONNode {
    var members: [(key: String, value: JSONNode)] = []
    skipBlanks()
    if take(UInt8(ascii: "}")) { return .object(members) }
    while true {
      skipBlanks()
      guard take(UInt8(ascii: "\"")) else { throw fault("has no key") }
      let key = String(decoding: try string(), as: UTF8.self)
      skipBlanks()
      guard take(UInt8(ascii: ":")) else { throw fault("has no colon after a key") }
      members.append((key, try value(depth: depth + 1)))
      skipBlanks()
      if take(UInt8(ascii: "}")) { return .object(members) }
      guard take(UInt8(ascii: ",")) else { throw fault("has no comma between members") }
    }
  }

  private mutating func list(depth: Int) throws(JSONSyntaxError) -> JSONNode {
    var values: [JSONNode] = []
    skipBlanks()
    if take(UInt8(ascii: "]")) { return .list(values) }
    while true {
      values.append(try value(depth: depth + 1))
      skipBlanks()
      if take(UInt8(ascii: "]")) { return .list(values) }
      guard take(UInt8(ascii: ",")) else { throw fault("has no comma between values") }
    }
  }

  /// Returns the string whose first quote is taken.
  private mutating func string() throws(JSONSyntaxError) -> ArraySlice<UInt8> {
    let plain = bytes[at...].prefix { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    at = plain.endIndex
    if take(UInt8(ascii: "\"")) { return plain }
    var text = Array(plain)
    while at < bytes.endIndex {
      let byte = bytes[at]
      at += 1
      if byte == UInt8(ascii: "\"") { return text[...] }
      if byte == UInt8(ascii: "\\") { text += try escaped() } else { text.append(byte) }
    }
    throw fault("has a string without end")
  }

  private mutating func escaped() throws(JSONSyntaxError) -> [UInt8] {
    guard at < bytes.endIndex else { throw fault("has a string without end") }
    let byte = bytes[at]
    at += 1
    switch byte {
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0C]
    case UInt8(ascii: "u"):
      var units = [try unit()]
      if UTF16.isLeadSurrogate(units[0]), bytes[at...].starts(with: Array("\\u".utf8)) {
        at += 2
        units.append(try unit())
      }
      // A half of a pair becomes U+FFFD.
      return Array(String(decoding: units, as: UTF16.self).utf8)
    case _: return [byte]
    }
  }

  private mutating func unit() throws(JSONSyntaxError) -> UInt16 {
    let digits = String(decoding: bytes[at...].prefix(4), as: UTF8.self)
    guard digits.utf8.count == 4, digits.allSatisfy(\.isHexDigit),
      let unit = UInt16(digits, radix: 16)
    else { throw fault("has a wrong \\u escape") }
    at += 4
    return unit
  }

  private mutating func skipBlanks() {
    while at < bytes.endIndex, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[at]) { at += 1 }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard at < bytes.endIndex, bytes[at] == byte else { return false }
    at += 1
    return true
  }

  private func fault(_ text: String) -> JSONSyntaxError {
    JSONSyntaxError(text: "\(text) at its byte \(at - bytes.startIndex + 1)")
  }
}
