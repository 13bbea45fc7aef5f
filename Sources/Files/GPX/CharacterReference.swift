/// A character that XML writes by its number or its name: `&#x2B;`, `&#43;`, `&amp;`.
enum CharacterReference {
  /// Replaces references to characters (XML 1.0, 4.1) and the five entities that need no
  /// declaration (4.6); what else looks like one stays as it is.
  static func resolved(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.contains(UInt8(ascii: "&")) else { return bytes }
    var resolved: [UInt8] = []
    var rest = bytes[...]
    while let first = rest.popFirst() {
      guard first == UInt8(ascii: "&"), let end = rest.firstIndex(of: UInt8(ascii: ";")),
        let byte = character(rest[..<end])
      else {
        resolved.append(first)
        continue
      }
      resolved.append(byte)
      rest = rest[(end + 1)...]
    }
    return resolved
  }

  private static func character(_ name: ArraySlice<UInt8>) -> UInt8? {
    // swift-format-ignore: what is no UTF-8 is no name either.
    let name = String(decoding: name, as: UTF8.self)
    switch name {
    case "amp": return UInt8(ascii: "&")
    case "lt": return UInt8(ascii: "<")
    case "gt": return UInt8(ascii: ">")
    case "apos": return UInt8(ascii: "'")
    case "quot": return UInt8(ascii: "\"")
    case _:
      guard name.hasPrefix("#") else { return nil }
      let number =
        name.hasPrefix("#x") ? UInt32(name.dropFirst(2), radix: 16) : UInt32(name.dropFirst())
      return number.map { $0 < 0x80 ? UInt8($0) : ByteSource.foreign }
    }
  }
}
