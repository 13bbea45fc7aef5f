internal import CXML
internal import Foundation

/// Reads XML incrementally with libxml2 and reports the begin and end of each element.
///
/// The scanner keeps the names of the open elements, the attributes `lat` and `lon`, and text on
/// request, all with bounded length. A DOCTYPE is refused, so a file cannot declare entities that
/// grow in memory. Harmless errors (a stray `&`, a late declaration) are tolerated.
final class XMLScanner {
  static let depthMax = 64
  static let nameMax = 256
  static let namespacesMax = 256
  /// The maximum length of a coordinate or time; the longest known has 33 characters.
  static let valueMax = 512

  struct Element {
    fileprivate let local: UnsafePointer<xmlChar>
    fileprivate let prefix: UnsafePointer<xmlChar>?
    let isGPX: Bool

    func isCalled(_ word: StaticString) -> Bool {
      strcmp(local, word.utf8Start) == 0
    }

    var name: String { String(cString: local) }
    fileprivate var qualified: String { XMLScanner.qualified(prefix) + name }
  }

  private static func qualified(_ prefix: UnsafePointer<xmlChar>?) -> String {
    prefix.map { String(cString: $0) + ":" } ?? ""
  }

  private var context: xmlParserCtxtPtr?
  var begins: (Element) throws(GPXError) -> Void = { _ in }
  /// Called when the innermost open element ends; `text` is its text if `wantsText` was set.
  var ends: () -> Void = {}
  private(set) var latitude: [UInt8]?
  private(set) var longitude: [UInt8]?
  private(set) var text: [UInt8] = []
  var wantsText = false
  private var open: [Element] = []
  private var root: Element?
  private var rootSpace: UnsafePointer<xmlChar>?
  /// Whether a reference was dropped from the current text, which makes it invalid.
  private var hasBadReference = false
  /// Whether the file ended before its root element did; later callbacks have no effect.
  private var isCutOff = false
  private var fault: GPXError?

  func read(_ source: consuming ByteSource) throws(GPXError) {
    var callbacks = Self.callbacks()
    let user = Unmanaged.passUnretained(self).toOpaque()
    guard let context = xmlCreatePushParserCtxt(&callbacks, user, nil, 0, nil) else {
      throw .unreadable("there is no memory to read it")
    }
    self.context = context
    defer { xmlFreeParserCtxt(context) }
    // The bytes are ASCII, whatever encoding the file declares.
    let options = [XML_PARSE_RECOVER, XML_PARSE_NONET, XML_PARSE_IGNORE_ENC]
    xmlCtxtUseOptions(context, Int32(options.reduce(0) { $0 | $1.rawValue }))
    while true {
      let bytes = try source.next()
      if bytes.isEmpty { break }
      bytes.withUnsafeBytes { bytes in
        _ = xmlParseChunk(
          context, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count), 0)
      }
      if let fault { throw fault }
    }
    try finish(context, line: source.line, column: source.column)
  }

  private func finish(
    _ context: xmlParserCtxtPtr, line: Int, column: Int
  ) throws(GPXError) {
    isCutOff = root == nil || !open.isEmpty
    let isInTag = context.pointee.instate == XML_PARSER_START_TAG
    xmlParseChunk(context, nil, 0, 1)
    if let fault { throw fault }
    if let last = open.last {
      throw .broken(
        "the file ends inside <\(last.qualified)>; it is truncated", line: line, column: column)
    }
    guard root == nil else { return }
    throw isInTag
      ? .broken("the file ends inside a tag", line: line, column: column)
      : .empty("contains no XML")
  }

  /// The position of libxml2. When an element begins, the position is the end of its tag.
  var place: GPXContent.Place {
    guard let context else { return GPXContent.Place(line: 1, column: 0) }
    let isEmptyElement = next == UInt8(ascii: "/")
    return GPXContent.Place(
      line: Int(xmlSAX2GetLineNumber(context)),
      column: Int(xmlSAX2GetColumnNumber(context)) + (isEmptyElement ? 1 : 0))
  }

  private var next: xmlChar? { context?.pointee.input?.pointee.cur?.pointee }

  private func fail(_ what: String) {
    let place = place
    fault = .broken(what, line: place.line, column: place.column)
  }

  // MARK: Elements

  private static func callbacks() -> xmlSAXHandler {
    var callbacks = xmlSAXHandler()
    callbacks.initialized = UInt32(XML_SAX2_MAGIC)
    callbacks.startElementNs = { user, local, prefix, space, spaces, _, count, _, attributes in
      guard let local else { return }
      XMLScanner.of(user)?.begin(local, prefix, space, Int(spaces), Int(count), attributes)
    }
    callbacks.endElementNs = { user, _, _, _ in XMLScanner.of(user)?.end() }
    callbacks.characters = { user, characters, count in
      XMLScanner.of(user)?.keep(UnsafeBufferPointer(start: characters, count: Int(count)))
    }
    callbacks.internalSubset = { user, _, _, _ in
      XMLScanner.of(user)?.fail("a DOCTYPE or declaration, which is not allowed")
    }
    callbacks.serror = { user, error in
      guard let error else { return }
      XMLScanner.of(user)?.take(error.pointee)
    }
    return callbacks
  }

  /// Returns the scanner of a callback; nil after a fault, which stops the reading.
  private static func of(_ user: UnsafeMutableRawPointer?) -> XMLScanner? {
    guard let user else { return nil }
    let scanner = Unmanaged<XMLScanner>.fromOpaque(user).takeUnretainedValue()
    return scanner.fault == nil ? scanner : nil
  }

  private func begin(
    _ local: UnsafePointer<xmlChar>, _ prefix: UnsafePointer<xmlChar>?,
    _ space: UnsafePointer<xmlChar>?, _ spaces: Int, _ count: Int,
    _ attributes: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?
  ) {
    if isCutOff { return }
    guard open.count < Self.depthMax else {
      return fail("elements nested more than \(Self.depthMax) deep")
    }
    guard strlen(local) + (prefix.map { strlen($0) } ?? 0) <= Self.nameMax else {
      return fail("a name of more than \(Self.nameMax) characters")
    }
    guard spaces <= Self.namespacesMax else {
      return fail("more than \(Self.namespacesMax) namespaces")
    }
    (latitude, longitude, wantsText) = (nil, nil, false)
    text.removeAll(keepingCapacity: true)
    if let attributes, !hasBadReference {
      take(UnsafeBufferPointer(start: attributes, count: 5 * count))
    }
    hasBadReference = false
    let element = Element(local: local, prefix: prefix, isGPX: isGPX(prefix, space))
    if root == nil { (root, rootSpace) = (element, space) }
    open.append(element)
    do throws(GPXError) { try begins(element) } catch { fault = error }
  }

  /// - Parameter parts: name, prefix, namespace, begin and end of the value of each attribute.
  private func take(_ parts: UnsafeBufferPointer<UnsafePointer<xmlChar>?>) {
    for first in stride(from: 0, to: parts.count, by: 5) {
      guard let name = parts[first], parts[first + 1] == nil, let start = parts[first + 3],
        let end = parts[first + 4]
      else { continue }
      let value = UnsafeBufferPointer(start: start, count: min(end - start, Self.valueMax))
      if strcmp(name, "lat") == 0 { latitude = Array(value) }
      if strcmp(name, "lon") == 0 { longitude = Array(value) }
    }
  }

  private func end() {
    guard !isCutOff, !open.isEmpty else { return }
    if hasBadReference { text = [ByteSource.foreign] }
    hasBadReference = false
    open.removeLast()
    ends()
    wantsText = false
  }

  private func keep(_ characters: UnsafeBufferPointer<xmlChar>) {
    guard wantsText, text.count < Self.valueMax else { return }
    // Indentation in front of a value does not count.
    let value = text.isEmpty ? characters.drop(while: Self.isSpace) : characters[...]
    text += value.prefix(Self.valueMax - text.count)
  }

  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  /// Returns whether an element is GPX's. The root's namespace counts as GPX's even if misspelt.
  private func isGPX(
    _ prefix: UnsafePointer<xmlChar>?, _ space: UnsafePointer<xmlChar>?
  ) -> Bool {
    guard let root else { return true }
    // libxml2 stores each name once, so equal names have one address.
    guard space != rootSpace else { return space != nil || prefix == root.prefix }
    return space.map { String(cString: $0).lowercased().contains("topografix.com/gpx/") } ?? false
  }

  // MARK: Faults

  private func take(_ error: xmlError) {
    guard error.level == XML_ERR_FATAL else { return }
    let message = error.message.map { String(cString: $0) } ?? ""
    switch xmlParserErrors(UInt32(error.code)) {
    case XML_ERR_HYPHEN_IN_COMMENT, XML_ERR_MISPLACED_CDATA_END, XML_ERR_RESERVED_XML_NAME,
      XML_ERR_UNKNOWN_VERSION:
      break
    case XML_ERR_ENTITYREF_SEMICOL_MISSING, XML_ERR_UNDECLARED_ENTITY:
      hasBadReference = true
    case _ where message.hasPrefix("xmlParseEntityRef") || message.hasPrefix("xmlParseCharRef"):
      hasBadReference = true
    case XML_ERR_LT_IN_ATTRIBUTE: fail("'<' inside an attribute's value")
    case XML_ERR_ATTRIBUTE_NOT_STARTED: fail("an attribute's value without quotes")
    case _ where isCutOff: break
    case XML_ERR_DOCUMENT_EMPTY: fail("text before the first '<'; this is not XML")
    case XML_ERR_DOCUMENT_END:
      fail(next == UInt8(ascii: "<") ? "a second root element" : "text after the end")
    case XML_ERR_INVALID_CHAR: fail("a control character; this is not XML")
    case XML_ERR_TAG_NAME_MISMATCH:
      let names = [error.str2, error.str1].map { $0.map { String(cString: $0) } ?? "" }
      fail("</\(names[0])> instead of </\(names[1])>")
    case XML_ERR_SPACE_REQUIRED: fail("no space between two attributes")
    case XML_ERR_NAME_REQUIRED: fail("'<' without a name")
    case _: fail(message.trimmingCharacters(in: .whitespacesAndNewlines))
    }
  }
}
