internal import Core

package enum TextEscape: Sendable, BitwiseCopyable {
  case none
  /// The text is between the quotes of JSON (RFC 8259 section 7).
  case json
  /// The text is in a query or a path, where a space is `%20` (RFC 3986 section 2).
  case percent
  /// The text is in a form, where a space is `+`.
  case form
  /// The text is in an SQL string, with `standard_conforming_strings` on (the default).
  case sql
}

extension [UInt8] {
  package mutating func append(_ bytes: UnsafeBufferPointer<UInt8>, _ escape: TextEscape) {
    // Most texts have nothing to escape, and are copied at once.
    guard bytes.contains(where: { Self.needs(escape, $0) }) else {
      return append(contentsOf: bytes)
    }
    for byte in bytes {
      switch escape {
      case .none: append(byte)
      case .json: appendJSON(byte)
      case .percent: appendPercent(byte, isForm: false)
      case .form: appendPercent(byte, isForm: true)
      case .sql: append(contentsOf: byte == 0x27 ? [byte, byte] : [byte])
      }
    }
  }

  /// Appends a text without an intermediate copy, as native Swift strings are contiguous.
  package mutating func append(text: String, _ escape: TextEscape) {
    var text = text
    text.withUTF8 { append($0, escape) }
  }

  mutating func append(hex number: UInt64) {
    for place in 0..<16 {
      append(Self.hex(UInt8(number >> UInt64((15 - place) * 4) & 15), upper: false))
    }
  }

  mutating func append(hex bytes: [UInt8]) {
    for byte in bytes {
      append(Self.hex(byte >> 4, upper: false))
      append(Self.hex(byte & 15, upper: false))
    }
  }

  /// Replaces the bytes from `start` on by their base64 (RFC 4648, section 4). The last group is
  /// encoded first, so that the bytes of no other group are overwritten.
  mutating func encodeBase64(from start: Int) {
    let plain = count - start
    let groups = (plain + 2) / 3
    append(contentsOf: repeatElement(0, count: groups * 4 - plain))
    for group in stride(from: groups - 1, through: 0, by: -1) {
      let bytes = Swift.min(3, plain - group * 3)
      var bits: UInt32 = 0
      for place in 0..<3 {
        bits = bits << 8 | (place < bytes ? UInt32(self[start + group * 3 + place]) : 0)
      }
      for place in 0..<4 {
        self[start + group * 4 + place] =
          place <= bytes ? Self.base64Letter(bits >> UInt32(18 - 6 * place) & 63) : 0x3D
      }
    }
  }

  private static func base64Letter(_ six: UInt32) -> UInt8 {
    switch UInt8(six) {
    case let six where six < 26: six + 0x41
    case let six where six < 52: six - 26 + 0x61
    case let six where six < 62: six - 52 + 0x30
    case 62: 0x2B
    case _: 0x2F
    }
  }

  private static func needs(_ escape: TextEscape, _ byte: UInt8) -> Bool {
    switch escape {
    case .none: false
    case .json: byte < 0x20 || byte == 0x22 || byte == 0x5C
    case .percent, .form: !isUnreserved(byte)
    case .sql: byte == 0x27
    }
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
    case _: false
    }
  }

  private mutating func appendJSON(_ byte: UInt8) {
    switch byte {
    case 0x22, 0x5C:
      append(0x5C)
      append(byte)
    case 0x0A: append(contentsOf: [0x5C, 0x6E])
    case 0x0D: append(contentsOf: [0x5C, 0x72])
    case 0x09: append(contentsOf: [0x5C, 0x74])
    case 0..<0x20:
      append(contentsOf: [0x5C, 0x75, 0x30, 0x30])
      append(Self.hex(byte >> 4, upper: false))
      append(Self.hex(byte & 15, upper: false))
    case _: append(byte)
    }
  }

  private mutating func appendPercent(_ byte: UInt8, isForm: Bool) {
    switch byte {
    case byte where Self.isUnreserved(byte): append(byte)
    case 0x7E where !isForm: append(byte)
    case 0x20 where isForm: append(0x2B)
    case _:
      append(0x25)
      append(Self.hex(byte >> 4, upper: true))
      append(Self.hex(byte & 15, upper: true))
    }
  }

  private static func hex(_ nibble: UInt8, upper: Bool) -> UInt8 {
    nibble < 10 ? 0x30 + nibble : (upper ? 0x41 : 0x61) + nibble - 10
  }

  package mutating func append(decimal number: Int64, width: Int = 0) {
    if number < 0 { append(0x2D) }
    append(digits: number.magnitude, width: width)
  }

  /// Appends digits, zero-padded to `width`, which is 20 at most.
  package mutating func append(digits number: UInt64, width: Int) {
    // The digits are made on the stack, from the last to the first, and copied once.
    withUnsafeTemporaryAllocation(byteCount: 24, alignment: 8) { digits in
      var place = 24
      var rest = number
      repeat {
        place -= 1
        digits[place] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      } while rest > 0
      let first = Swift.max(0, 24 - width)
      while place > first {
        place -= 1
        digits[place] = 0x30
      }
      append(contentsOf: UnsafeRawBufferPointer(rebasing: digits[place...]))
    }
  }

  /// Appends a number with exactly `decimals` decimals; nil removes trailing zeros.
  package mutating func append(number: FixedPoint, decimals: UInt8? = nil) {
    let exact = decimals.map { number.rounded(to: $0) } ?? number
    if exact.units < 0 { append(0x2D) }
    var divisor: UInt64 = 1
    for _ in 0..<exact.decimals { divisor *= 10 }
    let (whole, fraction) = exact.units.magnitude.quotientAndRemainder(dividingBy: divisor)
    append(digits: whole, width: 1)
    guard exact.decimals > 0, fraction > 0 || decimals != nil else { return }
    append(0x2E)
    append(digits: fraction, width: Int(exact.decimals))
    guard decimals == nil else { return }
    while last == 0x30 { removeLast() }
  }

  /// Appends a UTC time such as `2026-03-02T07:30:00.000Z`, for the years 0 to 9999.
  package mutating func append(iso microseconds: Int64, milliseconds: Bool) {
    var (day, rest) = microseconds.quotientAndRemainder(dividingBy: 86_400_000_000)
    if rest < 0 { (day, rest) = (day - 1, rest + 86_400_000_000) }
    let (year, month, date) = CivilText.civil(day)
    append(digits: UInt64(clamping: year), width: 4)
    append(0x2D)
    append(digits: UInt64(month), width: 2)
    append(0x2D)
    append(digits: UInt64(date), width: 2)
    append(0x54)
    let seconds = UInt64(rest / 1_000_000)
    append(digits: seconds / 3_600, width: 2)
    append(0x3A)
    append(digits: seconds / 60 % 60, width: 2)
    append(0x3A)
    append(digits: seconds % 60, width: 2)
    if milliseconds {
      append(0x2E)
      append(digits: UInt64(rest / 1_000 % 1_000), width: 3)
    }
    append(0x5A)
  }

  package mutating func append(uuid: (UInt64, UInt64)) {
    let high = uuid.0 & ~0xF000 | 0x4000
    let low = uuid.1 & ~(0b11 << 62) | 0b10 << 62
    for place in 0..<32 {
      if place == 8 || place == 12 || place == 16 || place == 20 { append(0x2D) }
      let half = place < 16 ? high : low
      append(Self.hex(UInt8(half >> UInt64((15 - place % 16) * 4) & 15), upper: false))
    }
  }
}

extension String {
  package init(_ write: (inout [UInt8]) -> Void) {
    var bytes: [UInt8] = []
    write(&bytes)
    // swift-format-ignore: programs write text.
    self.init(decoding: bytes, as: UTF8.self)
  }
}
