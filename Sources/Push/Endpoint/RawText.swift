extension UnsafeRawBufferPointer {
  func isText(_ text: StaticString) -> Bool {
    count == text.utf8CodeUnitCount
      && elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: count))
  }

  /// Returns the bytes after `prefix`; nil if the text does not begin with it.
  func behind(_ prefix: StaticString) -> UnsafeRawBufferPointer? {
    let length = prefix.utf8CodeUnitCount
    guard count >= length, UnsafeRawBufferPointer(rebasing: self[..<length]).isText(prefix) else {
      return nil
    }
    return UnsafeRawBufferPointer(rebasing: self[length...])
  }

  /// The text as a decimal number; nil if it is invalid or too long.
  var wholeNumber: Int64? {
    guard (1...18).contains(count) else { return nil }
    var number: Int64 = 0
    for byte in self {
      guard (0x30...0x39).contains(byte) else { return nil }
      number = number * 10 + Int64(byte - 0x30)
    }
    return number
  }

  /// Whether the text is 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12.
  var isUUID: Bool {
    guard count == 36 else { return false }
    for (place, byte) in enumerated() {
      let isDash = place == 8 || place == 13 || place == 18 || place == 23
      guard isDash ? byte == 0x2D : hexadecimal(byte) != nil else { return false }
    }
    return true
  }
}

func hexadecimal(_ byte: UInt8) -> UInt8? {
  switch byte {
  case 0x30...0x39: byte - 0x30
  case 0x61...0x66: byte - 0x57
  case 0x41...0x46: byte - 0x37
  default: nil
  }
}
