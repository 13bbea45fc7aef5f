/// An object of a JSON file that may have a fix.
struct JSONElement {
  /// The line on which the object begins, from 1.
  var line = 1
  /// The place of the object among those of the file, from 1.
  var number = 0
  /// The text before the object on its line, as in `.rec` files of OwnTracks.
  var prefix: [UInt8] = []
  /// The text of the object; empty for text without an object.
  var bytes: [UInt8] = []
  /// Whether the file ends within the object.
  var isCut = false
}

/// Splits JSON into objects, chunk by chunk, in the memory of one object: the objects of a list, of
/// lines, of text that follows another, or of a list in an outer object, such as `features`.
struct JSONSplitter {
  /// The greatest length of an object, in bytes.
  static let objectBytesMax = 1 << 20
  private static let prefixBytesMax = 256

  /// The keys of outer objects whose lists have the fixes.
  static let lists = [
    "locations", "location", "features", "semanticSegments", "rawSignals", "data", "points",
    "positions", "records",
  ]
  private static let listKeys = Set(lists.map { Array($0.utf8) })
  private static let keyBytesMax = 32

  /// Blanks, commas, and the sign that RFC 7464 puts before each text.
  private static let betweenObjects: Set<UInt8> = [0x20, 0x09, 0x2C, 0x1E]

  private var element = JSONElement()
  private var line = 1
  private var number = 0
  /// Whether the file is one list.
  private var isList = false
  /// The number of open brackets, without that of the file's list.
  private var depth = 0
  /// The depth at which the object in `element` began; nil outside such objects.
  private var start: Int?
  /// Whether the outer object's list is open, whose objects begin at depth 2.
  private var isInnerList = false
  /// Whether the last bytes are the key and the bracket of an inner list.
  private var isAtInnerList = false
  private var isString = false
  private var isEscaped = false
  /// The last string at depth 1, which may be a key.
  private var key: [UInt8] = []

  mutating func split(
    _ chunk: [UInt8], _ take: (JSONElement) throws(LogError) -> Void
  ) throws(LogError) {
    for byte in chunk {
      if depth == 0 { try outside(byte, take) } else { try inside(byte, take) }
      if byte == 0x0A { line += 1 }
    }
  }

  mutating func finish(_ take: (JSONElement) throws(LogError) -> Void) throws(LogError) {
    guard depth > 0 || isList else { return try endLine(take) }
    if start == nil { begin() }
    element.isCut = true
    try take(element)
  }

  private mutating func outside(
    _ byte: UInt8, _ take: (JSONElement) throws(LogError) -> Void
  ) throws(LogError) {
    let isBlank = element.prefix.isEmpty
    switch byte {
    case UInt8(ascii: "{"):
      begin()
      depth = 1
      start = 0
      try append(byte)
    case UInt8(ascii: "[") where isBlank && !isList: isList = true
    case UInt8(ascii: "]") where isBlank && isList: isList = false
    case 0x0A, 0x0D: try endLine(take)
    case _ where isBlank && Self.betweenObjects.contains(byte): break
    case _ where element.prefix.count < Self.prefixBytesMax: element.prefix.append(byte)
    case _: break
    }
  }

  /// Ends a line without an object.
  private mutating func endLine(
    _ take: (JSONElement) throws(LogError) -> Void
  ) throws(LogError) {
    guard !element.prefix.isEmpty else { return }
    begin()
    try take(element)
    element.prefix = []
  }

  private mutating func inside(
    _ byte: UInt8, _ take: (JSONElement) throws(LogError) -> Void
  ) throws(LogError) {
    if isString {
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isString = false
      }
      if isString, depth == 1, key.count < Self.keyBytesMax { key.append(byte) }
      return try append(byte)
    }
    switch byte {
    case UInt8(ascii: "\""):
      isString = true
      if depth == 1 { key.removeAll(keepingCapacity: true) }
      isAtInnerList = false
      try append(byte)
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      if byte == UInt8(ascii: "{"), depth == 2, isAtInnerList || (isInnerList && start == nil) {
        isInnerList = true
        begin()
        start = 2
      }
      isAtInnerList =
        byte == UInt8(ascii: "[") && depth == 1 && Self.listKeys.contains(key) && !isInnerList
      depth += 1
      try append(byte)
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      isAtInnerList = false
      try append(byte)
      depth -= 1
      if depth == 1 { isInnerList = false }
      if depth == start {
        try take(element)
        start = nil
      }
      if depth == 0 { element.prefix = [] }
    case 0x20, 0x09, 0x0A, 0x0D: try append(byte)
    case _:
      isAtInnerList = false
      try append(byte)
    }
  }

  private mutating func begin() {
    number += 1
    element.number = number
    element.line = line
    element.bytes.removeAll(keepingCapacity: true)
  }

  private mutating func append(_ byte: UInt8) throws(LogError) {
    guard start != nil else { return }
    guard element.bytes.count < Self.objectBytesMax else {
      throw .format(
        "line \(element.line): the JSON object has more than \(Self.objectBytesMax) bytes; write "
          + "one object per fix, or a list with one of the keys "
          + "\(Self.lists.joined(separator: ", ")).")
    }
    element.bytes.append(byte)
  }
}
