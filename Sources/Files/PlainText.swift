/// Text as programs of any system write it, read in one way.
package enum PlainText {
  /// What some editors and spreadsheets put in front of UTF-8.
  package static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Returns the text without a byte order mark, its lines ended by LF alone; nil: not UTF-8.
  package static func decoded(_ bytes: [UInt8]) -> String? {
    String(validating: plain(bytes), as: UTF8.self)
  }

  /// Returns the text likewise, and what is not UTF-8 in it repaired: of an answer of which a part
  /// is looked for.
  package static func repaired(_ bytes: [UInt8]) -> String {
    // swift-format-ignore: repairing is what it is for.
    String(decoding: plain(bytes), as: UTF8.self)
  }

  private static func plain(_ bytes: [UInt8]) -> [UInt8] {
    let text = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
    guard text.contains(0x0D) else { return Array(text) }
    var plain: [UInt8] = []
    plain.reserveCapacity(text.count)
    var isAfterReturn = false
    for byte in text {
      if byte == 0x0D {
        plain.append(0x0A)
      } else if byte != 0x0A || !isAfterReturn {
        plain.append(byte)
      }
      isAfterReturn = byte == 0x0D
    }
    return plain
  }
}
