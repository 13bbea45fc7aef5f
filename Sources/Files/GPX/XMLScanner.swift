/// Splits XML into elements, in constant memory, and holds to its few rules that matter here:
/// tags match, one root, nothing after it.
///
/// Kept of a document: the names of the open elements, their namespace declarations, the
/// attributes `lat` and `lon`, and text where the caller wants it, each cut at a bound. References
/// to characters are resolved in these; a file cannot declare entities of its own, since any
/// DOCTYPE is refused, so it cannot grow in memory.
struct XMLScanner: ~Copyable {
  static let depthMax = 64
  static let nameMax = 256
  static let declarationsMax = 256
  /// The longest coordinate or time that is kept; the longest known has 33 characters, each of
  /// which may be written as a reference.
  static let valueMax = 512

  enum Token: Equatable {
    /// The element is `open.last`; `latitude` and `longitude` hold its attributes.
    case start
    /// The element is `closed`; `text` holds what it held, where that was wanted.
    case end
    case endOfFile
  }

  struct Name: Equatable {
    var prefix: [UInt8]
    var local: [UInt8]
    /// In GPX's namespace, not a foreign one.
    var isGPX: Bool
  }

  private struct Declaration {
    var prefix: [UInt8]
    var isGPX: Bool
    var depth: Int
  }

  private var source: ByteSource
  private(set) var open: [Name] = []
  private(set) var closed = Name(prefix: [], local: [], isGPX: false)
  private(set) var latitude: [UInt8]?
  private(set) var longitude: [UInt8]?
  private(set) var text: [UInt8] = []
  /// Set by the caller at `start`: keep the text of this element.
  var wantsText = false
  private var declarations: [Declaration] = []
  private var root: Name?
  /// An empty element: its end follows its start.
  private var isEmptyElement = false

  init(_ source: consuming ByteSource) { self.source = source }

  var hasRoot: Bool { root != nil }
  /// Where the character stands that was read last.
  var line: Int { source.line }
  var column: Int { source.column }

  mutating func next() throws(GPXError) -> Token {
    if isEmptyElement {
      isEmptyElement = false
      return close()
    }
    while let byte = try source.next() {
      switch byte {
      case UInt8(ascii: "<"):
        if let token = try markup() { return token }
      default: try character(byte)
      }
    }
    guard open.isEmpty else {
      throw fault("the file ends inside <\(describe(open[open.count - 1]))>; it was cut off")
    }
    return .endOfFile
  }

  func fault(_ what: String) -> GPXError {
    .broken(what, line: line, column: column)
  }

  private func describe(_ name: Name) -> String {
    let bytes = name.prefix.isEmpty ? name.local : name.prefix + [UInt8(ascii: ":")] + name.local
    return Self.printable(bytes)
  }

  /// What may be shown of a file's own bytes in an error.
  static func printable(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.prefix(40).map { (0x20..<0x7F).contains($0) ? $0 : 0x3F }, as: UTF8.self)
  }

  // MARK: Characters

  private mutating func character(_ byte: UInt8) throws(GPXError) {
    if Self.isSpace(byte) {
      keep(byte)
      return
    }
    guard byte >= 0x20 else { throw fault("a control character; this is not XML") }
    guard !open.isEmpty else {
      throw fault(root == nil ? "text before the first '<'; this is not XML" : "text after the end")
    }
    keep(byte)
  }

  private mutating func keep(_ byte: UInt8) {
    // Indentation in front of a value does not count.
    guard wantsText, text.count < Self.valueMax, !(text.isEmpty && Self.isSpace(byte)) else {
      return
    }
    text.append(byte)
  }

  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  private mutating func required(_ inside: String) throws(GPXError) -> UInt8 {
    guard let byte = try source.next() else { throw fault("the file ends inside \(inside)") }
    return byte
  }

  // MARK: Markup

  private mutating func markup() throws(GPXError) -> Token? {
    let byte = try required("a tag")
    switch byte {
    case UInt8(ascii: "?"):
      try skip(past: Array("?>".utf8), "an instruction")
      return nil
    case UInt8(ascii: "!"):
      try declaration()
      return nil
    case UInt8(ascii: "/"): return try endTag()
    default: return try startTag(byte)
    }
  }

  private mutating func declaration() throws(GPXError) {
    let byte = try required("a declaration")
    switch byte {
    case UInt8(ascii: "-"):
      guard try required("a comment") == UInt8(ascii: "-") else {
        throw fault("'<!-' begins nothing")
      }
      try skip(past: Array("-->".utf8), "a comment")
    case UInt8(ascii: "["):
      for expected in "CDATA[".utf8 where try required("a CDATA section") != expected {
        throw fault("'<![' begins nothing but a CDATA section")
      }
      guard !open.isEmpty else { throw fault("a CDATA section outside the root") }
      try skip(past: Array("]]>".utf8), "a CDATA section", keeping: true)
    default: throw fault("a DOCTYPE or declaration; recordings need none, so it is refused")
    }
  }

  /// Skips up to and including `mark`, whose length is two or three.
  private mutating func skip(
    past mark: [UInt8], _ what: String, keeping: Bool = false
  ) throws(GPXError) {
    var last: [UInt8] = []
    while last != mark {
      let byte = try required(what)
      last.append(byte)
      guard last.count > mark.count else { continue }
      let gone = last.removeFirst()
      guard keeping else { continue }
      // What looks like a reference is none in a CDATA section.
      if gone == UInt8(ascii: "&") { "&amp;".utf8.forEach { keep($0) } } else { keep(gone) }
    }
  }

  private mutating func endTag() throws(GPXError) -> Token {
    let (prefix, local, next) = try name(try required("a tag"))
    var byte = next
    while Self.isSpace(byte) { byte = try required("a tag") }
    guard byte == UInt8(ascii: ">") else { throw fault("an end tag with more than a name") }
    guard let top = open.last else { throw fault("an end tag without a start tag") }
    guard top.prefix == prefix, top.local == local else {
      let ended = Name(prefix: prefix, local: local, isGPX: false)
      throw fault("</\(describe(ended))> where </\(describe(top))> should stand")
    }
    return close()
  }

  private mutating func close() -> Token {
    closed = open.removeLast()
    if wantsText { text = CharacterReference.resolved(text) }
    while let last = declarations.last, last.depth > open.count { declarations.removeLast() }
    wantsText = false
    return .end
  }

  /// A qualified name; also returns the byte after it.
  private mutating func name(
    _ first: UInt8
  ) throws(GPXError) -> (prefix: [UInt8], local: [UInt8], next: UInt8) {
    var prefix: [UInt8] = []
    var local: [UInt8] = []
    var byte = first
    while !Self.endsName(byte) {
      guard byte > 0x20, byte != UInt8(ascii: "<") else { throw fault("a broken name") }
      guard prefix.count + local.count < Self.nameMax else {
        throw fault("a name of more than \(Self.nameMax) characters")
      }
      if byte == UInt8(ascii: ":"), prefix.isEmpty {
        prefix = local
        local.removeAll(keepingCapacity: true)
      } else {
        local.append(byte)
      }
      byte = try required("a tag")
    }
    guard let head = local.first, !(0x2D...0x39).contains(head) else {
      throw fault("'<' without a name")
    }
    return (prefix, local, byte)
  }

  private static func endsName(_ byte: UInt8) -> Bool {
    isSpace(byte) || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/")
      || byte == UInt8(ascii: "=")
  }

  private mutating func startTag(_ first: UInt8) throws(GPXError) -> Token {
    guard root == nil || !open.isEmpty else { throw fault("a second root element") }
    guard open.count < Self.depthMax else {
      throw fault("elements nested more than \(Self.depthMax) deep")
    }
    var (prefix, local, byte) = try name(first)
    latitude = nil
    longitude = nil
    text.removeAll(keepingCapacity: true)
    wantsText = false
    while true {
      while Self.isSpace(byte) { byte = try required("a tag") }
      if byte == UInt8(ascii: ">") { break }
      if byte == UInt8(ascii: "/") {
        guard try required("a tag") == UInt8(ascii: ">") else { throw fault("'/' inside a tag") }
        isEmptyElement = true
        break
      }
      byte = try attribute(byte)
    }
    let name = Name(prefix: prefix, local: local, isGPX: isGPX(prefix))
    if root == nil { root = name }
    open.append(name)
    return .start
  }

  private mutating func attribute(_ first: UInt8) throws(GPXError) -> UInt8 {
    let (prefix, local, next) = try name(first)
    var byte = next
    while Self.isSpace(byte) { byte = try required("a tag") }
    guard byte == UInt8(ascii: "=") else { throw fault("an attribute without a value") }
    byte = try required("a tag")
    while Self.isSpace(byte) { byte = try required("a tag") }
    guard byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") else {
      throw fault("an attribute's value without quotes")
    }
    let value = try quoted(byte)
    if prefix.isEmpty {
      if local.elementsEqual("lat".utf8) { latitude = value }
      if local.elementsEqual("lon".utf8) { longitude = value }
      if local.elementsEqual("xmlns".utf8) { try declare([], value) }
    } else if prefix.elementsEqual("xmlns".utf8) {
      try declare(local, value)
    }
    byte = try required("a tag")
    guard Self.isSpace(byte) || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/") else {
      throw fault("no space between two attributes")
    }
    return byte
  }

  private mutating func quoted(_ quote: UInt8) throws(GPXError) -> [UInt8] {
    var value: [UInt8] = []
    while true {
      let byte = try required("an attribute's value")
      if byte == quote { return CharacterReference.resolved(value) }
      guard byte != UInt8(ascii: "<") else { throw fault("'<' inside an attribute's value") }
      if value.count < Self.valueMax { value.append(byte) }
    }
  }

  // MARK: Namespaces

  private mutating func declare(_ prefix: [UInt8], _ space: [UInt8]) throws(GPXError) {
    guard declarations.count < Self.declarationsMax else {
      throw fault("more than \(Self.declarationsMax) namespaces")
    }
    declarations.append(
      Declaration(prefix: prefix, isGPX: Self.isGPX(space: space), depth: open.count + 1))
  }

  private func isGPX(_ prefix: [UInt8]) -> Bool {
    guard let root else { return true }
    // Whatever space the root lies in is the recording's own: some writers misspell it.
    if let found = declarations.last(where: { $0.prefix == prefix }) {
      return found.isGPX || (found.depth == 1 && prefix == root.prefix)
    }
    return prefix == root.prefix
  }

  private static func isGPX(space: [UInt8]) -> Bool {
    String(decoding: space, as: UTF8.self).lowercased().contains("topografix.com/gpx/")
  }
}
