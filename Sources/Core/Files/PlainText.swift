/// Normalises text from any system.
package enum PlainText {
  /// The UTF-8 byte-order mark of some editors and spreadsheets.
  package static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Returns the text without byte-order mark and with LF line ends; nil if not UTF-8.
  package static func decoded(_ bytes: [UInt8]) -> String? {
    String(validating: plain(bytes), as: UTF8.self)
  }

  /// Returns the text as `decoded` does, but with invalid UTF-8 replaced.
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
