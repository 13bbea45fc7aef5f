/// Removes passwords from printed or stored addresses, options and answers.
package enum Redaction {
  package static let mask = "***"

  /// The names of keys whose value is a password, in URLs, libpq connection strings and settings.
  private static let names = ["password", "passwd", "passphrase", "pwd", "webtoken"]

  /// Masks passwords in addresses (`scheme://user:password@host`) and behind `password=`.
  package static func passwords(in text: String) -> String {
    let bytes = Array(text.utf8)
    guard bytes.contains(UInt8(ascii: "@")) || bytes.contains(UInt8(ascii: "=")) else {
      return text
    }
    var shown = bytes
    // The ranges are replaced from the end, so that the earlier ones stay valid.
    for hidden in (addresses(bytes) + values(bytes)).sorted(by: { $0.lowerBound > $1.lowerBound })
    where hidden.upperBound <= shown.count {
      shown.replaceSubrange(hidden, with: mask.utf8)
    }
    // swift-format-ignore: what is taken out is bounded by ASCII.
    return shown == bytes ? text : String(decoding: shown, as: UTF8.self)
  }

  /// Masks secrets in plain form and as JSON and URLs escape them. Also masks the word after
  /// `Basic` and `Bearer`, which may be a secret in base64.
  package static func secrets(_ secrets: [String], in text: String) -> String {
    var shown = text
    // Longer secrets come first, since one may contain another. Short secrets occur everywhere.
    let forms = secrets.filter { $0.utf8.count >= 4 }.flatMap { [$0, json($0), url($0)] }
    for form in Set(forms).sorted(by: { ($1.count, $0) < ($0.count, $1) }) {
      shown = shown.split(separator: form, omittingEmptySubsequences: false).joined(separator: mask)
    }
    return withoutCredentials(shown)
  }

  private static let credentialLeast = 12

  private static func withoutCredentials(_ text: String) -> String {
    var shown = text[...]
    var result = ""
    while let space = shown.firstIndex(of: " ") {
      let before = shown[..<space].lowercased()
      result += shown[...space]
      shown = shown[shown.index(after: space)...]
      guard before.hasSuffix("basic") || before.hasSuffix("bearer") else { continue }
      let word = shown.prefix { !" \t\n\"'\\,;<>}".contains($0) }
      guard word.count >= credentialLeast else { continue }
      result += mask
      shown = shown[word.endIndex...]
    }
    return result + shown
  }

  private static func json(_ text: String) -> String {
    text.reduce(into: "") { json, character in
      if character == "\"" || character == "\\" || character == "/" { json.append("\\") }
      json.append(character)
    }
  }

  private static func url(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF")
    return text.utf8.reduce(into: "") { url, byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
        url.unicodeScalars.append(Unicode.Scalar(byte))
      case let byte: url += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
      }
    }
  }

  /// Returns the ranges of passwords in addresses: from the first colon to the last at sign.
  private static func addresses(_ bytes: [UInt8]) -> [Range<Int>] {
    var found: [Range<Int>] = []
    var place = 0
    while place + 2 < bytes.count {
      guard bytes[place...].starts(with: "://".utf8) else {
        place += 1
        continue
      }
      let start = place + 3
      place = bytes[start...].firstIndex { ends.contains($0) } ?? bytes.count
      guard let hidden = password(in: bytes[start..<place]) else { continue }
      found.append(hidden)
    }
    return found
  }

  private static func password(in address: ArraySlice<UInt8>) -> Range<Int>? {
    let host = address.prefix { !"/?#".utf8.contains($0) }
    guard let colon = host.firstIndex(of: UInt8(ascii: ":")), host.first != UInt8(ascii: "[") else {
      return nil
    }
    if let at = host.lastIndex(of: UInt8(ascii: "@")) {
      return colon + 1 < at ? colon + 1..<at : nil
    }
    // If the text before a slash is no port, the slash is an unencoded part of the password.
    let isPort = host[(colon + 1)...].allSatisfy { (0x30...0x39).contains($0) }
    guard !isPort, let at = address.lastIndex(of: UInt8(ascii: "@")), colon + 1 < at else {
      return nil
    }
    return colon + 1..<at
  }

  private static let ends = Set(" \t\n\"'`".utf8)

  /// Returns the ranges of values after `password=`. A value is single-quoted with `\` before a
  /// quote, or ends before a blank, a quote or an ampersand.
  private static func values(_ bytes: [UInt8]) -> [Range<Int>] {
    var found: [Range<Int>] = []
    for (place, byte) in bytes.enumerated() where byte == UInt8(ascii: "=") {
      let before = bytes[..<place].reversed().drop { $0 == 0x20 }
        .prefix(24).map { $0 | 0x20 }
      guard names.contains(where: { before.starts(with: $0.utf8.reversed()) }) else { continue }
      var start = place + 1
      while start < bytes.count, bytes[start] == 0x20 { start += 1 }
      guard start < bytes.count, found.last?.contains(start) != true else { continue }
      let end = end(of: bytes, from: start)
      if end > start { found.append(start..<end) }
    }
    return found
  }

  private static func end(of bytes: [UInt8], from start: Int) -> Int {
    let quote = UInt8(ascii: "'")
    guard bytes[start] == quote else {
      return bytes[start...].firstIndex { $0 == UInt8(ascii: "&") || ends.contains($0) }
        ?? bytes.count
    }
    var place = start + 1
    while place < bytes.count, bytes[place] != quote {
      place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(place + 1, bytes.count)
  }
}
