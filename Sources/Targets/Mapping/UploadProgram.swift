package import Scenarios

/// A message to a target, compiled to a flat list of steps that write JSON, a form, a query or a
/// text. Values come from an `UploadContext`. Protobuf has `MessageProgram` instead.
package struct UploadProgram: Sendable {
  package enum Kind: Sendable, BitwiseCopyable {
    case value
    case objectStart, objectEnd
    case listStart, listEnd
    /// The steps between `eachStart` and `eachEnd` run once for every fix of the request.
    case eachStart, eachEnd
    /// The output between `base64Start` and `base64End` is encoded in place, as a JSON text.
    case base64Start, base64End
    /// A value within base64, written as text without quotes.
    case text
  }

  package struct Step: Sendable, BitwiseCopyable {
    package var kind: Kind
    /// The index in `keys`; −1 for an item of a list or the message itself.
    package var key: Int32
    /// The index in `values`; −1 for no value.
    package var value: Int32
    /// The index of the step that ends this start or starts this end; −1 for a value.
    package var match: Int32
  }

  package struct Value: Sendable, BitwiseCopyable {
    package var firstPiece: Int32
    package var pieceCount: Int32
    package var isWhole: Bool
    package var isConstant: Bool
    package var omit: OmitRule
    package var type: WrittenType
    /// The index in `pieces` of the text for an unknown value; −1 for none.
    package var fallback: Int32
    /// The index in `words`; −1 for none.
    package var words: Int32
  }

  package struct Piece: Sendable, BitwiseCopyable {
    package var source: ValueSource
    package var unit: ValueUnit
    package var width: UInt8
    /// The number of decimals to write; 255 for all decimals of the number.
    package var decimals: UInt8
    /// Whether a literal comes from one of the target's names, not from the message itself.
    package var isNamed: Bool
    package var text: Span
    /// The literal as JSON: a number, a flag, `null` or a text in quotes.
    package var json: Span

    package var writtenDecimals: UInt8? { decimals == 255 ? nil : decimals }

    package func isZero(_ number: FixedPoint) -> Bool {
      (writtenDecimals.map { number.rounded(to: $0) } ?? number).units == 0
    }
  }

  package struct Span: Sendable, BitwiseCopyable {
    package var start: Int32
    /// The index after the last byte.
    package var end: Int32
  }

  package struct Key: Sendable {
    package var name: String
    /// The place of `"name":` in `bytes`.
    package var json: Span
  }

  package private(set) var steps: [Step] = []
  package private(set) var origins: [Origin] = []
  package private(set) var keys: [Key] = []
  package private(set) var values: [Value] = []
  package private(set) var pieces: [Piece] = []
  package private(set) var words: [[TableEntry<String>]] = []
  package private(set) var bytes: [UInt8] = []

  package init(_ message: MappingNode, _ names: TargetNames) {
    add(message, key: -1, names)
  }

  package init(_ text: ValueText, _ names: TargetNames) {
    let value = MappedValue(origin: text.origin, text: text, type: .text)
    add(MappingNode(origin: text.origin, content: .value(value)), key: -1, names)
  }

  private mutating func add(_ node: MappingNode, key: Int32, _ names: TargetNames) {
    switch node.content {
    case .value(let value):
      append(.value, key, value: add(value, names), at: node.origin)
    case .object(let fields):
      let start = append(.objectStart, key, at: node.origin)
      for field in fields { add(field.node, key: add(key: field.key), names) }
      close(start, .objectEnd, at: node.origin)
    case .list(let nodes):
      let start = append(.listStart, key, at: node.origin)
      for node in nodes { add(node, key: -1, names) }
      close(start, .listEnd, at: node.origin)
    case .each(let item):
      let start = append(.eachStart, key, at: node.origin)
      add(item, key: -1, names)
      close(start, .eachEnd, at: node.origin)
    case .base64(let inner):
      let start = append(.base64Start, key, at: node.origin)
      if case .value(let value) = inner.content {
        append(.text, -1, value: add(value, names), at: inner.origin)
      } else {
        add(inner, key: -1, names)
      }
      close(start, .base64End, at: node.origin)
    }
  }

  @discardableResult
  private mutating func append(
    _ kind: Kind, _ key: Int32, value: Int32 = -1, at origin: Origin
  ) -> Int {
    steps.append(Step(kind: kind, key: key, value: value, match: -1))
    origins.append(origin)
    return steps.count - 1
  }

  private mutating func close(_ start: Int, _ kind: Kind, at origin: Origin) {
    let end = append(kind, steps[start].key, at: origin)
    steps[start].match = Int32(end)
    steps[end].match = Int32(start)
  }

  private mutating func add(key: String) -> Int32 {
    let start = Int32(bytes.count)
    bytes.append(0x22)
    bytes.append(text: key, .json)
    bytes.append(contentsOf: [0x22, 0x3A])
    keys.append(Key(name: key, json: Span(start: start, end: Int32(bytes.count))))
    return Int32(keys.count - 1)
  }

  private mutating func add(_ value: MappedValue, _ names: TargetNames) -> Int32 {
    let parts = names.resolved(value.text)
    let first = Int32(pieces.count)
    for part in parts { add(part, decimals: value.decimals, type: value.type) }
    let count = Int32(pieces.count) - first
    var fallback: Int32 = -1
    if let text = value.fallback {
      fallback = Int32(pieces.count)
      add(.literal(text, isNamed: false), decimals: nil, type: value.type)
    }
    if !value.words.isEmpty { words.append(value.words) }
    let isConstant = count == 1 && pieces[Int(first)].source == .literal
    // A name such as `$token` stands for a text, even if the text looks like a number.
    if isConstant, value.text.constant == nil { quote(piece: Int(first)) }
    values.append(
      Value(
        firstPiece: first, pieceCount: count, isWhole: names.isOneSource(value.text),
        isConstant: isConstant, omit: value.omit, type: value.type, fallback: fallback,
        words: value.words.isEmpty ? -1 : Int32(words.count - 1)))
    return Int32(values.count - 1)
  }

  private mutating func add(
    _ part: TargetNames.Part, decimals: UInt8?, type: WrittenType
  ) {
    var piece = Piece(
      source: .literal, unit: .plain, width: 0, decimals: decimals ?? 255, isNamed: true,
      text: Span(start: 0, end: 0), json: Span(start: 0, end: 0))
    switch part {
    case .literal(let text, let isNamed):
      piece.isNamed = isNamed
      piece.text = append(text: text)
      piece.json = type != .text && JSONLiteral.isOne(text) ? piece.text : append(quoted: text)
    case .source(let source, let reference):
      piece.source = source
      piece.unit = reference.unit
      piece.width = reference.width
      piece.decimals = reference.decimals ?? decimals ?? 255
    }
    pieces.append(piece)
  }

  private mutating func quote(piece: Int) {
    let text = String(decoding: slice(pieces[piece].text), as: UTF8.self)
    pieces[piece].json = append(quoted: text)
  }

  private mutating func append(text: String) -> Span {
    let start = Int32(bytes.count)
    bytes.append(text: text, .none)
    return Span(start: start, end: Int32(bytes.count))
  }

  private mutating func append(quoted text: String) -> Span {
    let start = Int32(bytes.count)
    bytes.append(0x22)
    bytes.append(text: text, .json)
    bytes.append(0x22)
    return Span(start: start, end: Int32(bytes.count))
  }

  func append(_ span: Span, _ escape: TextEscape = .none, to out: inout [UInt8]) {
    bytes.withUnsafeBufferPointer {
      let part = UnsafeBufferPointer(rebasing: $0[Int(span.start)..<Int(span.end)])
      if escape == .none { out.append(contentsOf: part) } else { out.append(part, escape) }
    }
  }

  package func slice(_ span: Span) -> ArraySlice<UInt8> {
    bytes[Int(span.start)..<Int(span.end)]
  }
}

enum JSONLiteral {
  /// Returns whether the text is `true`, `false`, `null` or a number in JSON (RFC 8259 section 6).
  static func isOne(_ text: String) -> Bool {
    switch text {
    case "true", "false", "null": true
    case _: text.wholeMatch(of: #/-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/#) != nil
    }
  }
}
