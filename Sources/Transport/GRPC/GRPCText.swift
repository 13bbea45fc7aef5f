internal import Wire

/// gRPC's text encodings in header fields (PROTOCOL-HTTP2.md of gRPC).
enum GRPCText {
  // MARK: timeouts

  /// Parses `grpc-timeout`, up to eight digits and a unit. Returns at least 1, or nil if invalid.
  static func milliseconds(_ text: UnsafeRawBufferPointer) -> UInt32? {
    guard (2...9).contains(text.count), let unit = text.last else { return nil }
    var number: Int64 = 0
    for digit in text.dropLast() {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      number = number * 10 + Int64(digit - UInt8(ascii: "0"))
    }
    let milliseconds: Int64
    switch unit {
    case UInt8(ascii: "H"): milliseconds = number * 3_600_000
    case UInt8(ascii: "M"): milliseconds = number * 60_000
    case UInt8(ascii: "S"): milliseconds = number * 1_000
    case UInt8(ascii: "m"): milliseconds = number
    case UInt8(ascii: "u"): milliseconds = (number + 999) / 1_000
    case UInt8(ascii: "n"): milliseconds = (number + 999_999) / 1_000_000
    default: return nil
    }
    return UInt32(clamping: max(1, milliseconds))
  }

  /// Formats a timeout in milliseconds, or in seconds if milliseconds take more than eight digits.
  static func timeout(milliseconds: Int64) -> [UInt8] {
    milliseconds < 100_000_000
      ? Array("\(milliseconds)m".utf8)
      : Array("\(min(milliseconds / 1_000, 99_999_999))S".utf8)
  }

  // MARK: status

  static func trailers(of status: CallStatus) -> [(name: String, value: [UInt8])] {
    var fields: [(name: String, value: [UInt8])] = [
      ("grpc-status", Array("\(status.code.rawValue)".utf8))
    ]
    if !status.text.isEmpty { fields.append(("grpc-message", percentEncoded(status.text))) }
    if let pushback = status.pushbackMilliseconds {
      fields.append(("grpc-retry-pushback-ms", Array("\(pushback)".utf8)))
    }
    return fields
  }

  /// Escapes the percent sign and all bytes but printable ASCII, as "%" and two hexadecimal digits.
  static func percentEncoded(_ text: String) -> [UInt8] {
    var encoded: [UInt8] = []
    for byte in text.utf8 {
      if (0x20...0x7E).contains(byte), byte != UInt8(ascii: "%") {
        encoded.append(byte)
      } else {
        encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return encoded
  }

  private static var digits: [UInt8] { Array("0123456789ABCDEF".utf8) }

  /// Decodes percent escapes. Invalid escapes stay in the text as they are.
  static func percentDecoded(_ bytes: UnsafeRawBufferPointer) -> String {
    var decoded: [UInt8] = []
    var at = 0
    while at < bytes.count {
      if bytes[at] == UInt8(ascii: "%"), at + 2 < bytes.count,
        let high = hexadecimal(bytes[at + 1]), let low = hexadecimal(bytes[at + 2])
      {
        decoded.append(high << 4 | low)
        at += 3
      } else {
        decoded.append(bytes[at])
        at += 1
      }
    }
    // swift-format-ignore: a peer's text may be invalid UTF-8; it is repaired, not refused.
    return String(decoding: decoded, as: UTF8.self)
  }

  private static func hexadecimal(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }

  /// Parses a signed integer in ASCII of at most eleven characters. Returns nil if invalid.
  static func number(_ bytes: UnsafeRawBufferPointer) -> Int? {
    guard bytes.count <= 11 else { return nil }
    // swift-format-ignore: text that is not an ASCII number is not one after repair either.
    return Int(String(decoding: bytes, as: UTF8.self))
  }

  /// Returns the status of a call whose stream was reset or closed without trailers.
  static func status(ofReset code: UInt32) -> StatusCode {
    switch code {
    case 0x7: .unavailable  // REFUSED_STREAM: not acted on.
    case 0x8: .cancelled  // CANCEL
    case 0xB: .resourceExhausted  // ENHANCE_YOUR_CALM
    case 0xC: .permissionDenied  // INADEQUATE_SECURITY
    default: .internal
    }
  }

  /// Returns the status for an answer without gRPC, such as the answer of a proxy.
  static func status(ofHTTP code: Int) -> StatusCode {
    switch code {
    case 400, 431: .internal
    case 401: .unauthenticated
    case 403: .permissionDenied
    case 404: .unimplemented
    case 429, 502, 503, 504: .unavailable
    default: .unknown
    }
  }
}
