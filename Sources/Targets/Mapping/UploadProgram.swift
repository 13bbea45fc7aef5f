package import Scenarios

/// A message of a target, compiled once: a flat list of steps that a writer runs for every request.
///
/// The steps are the same for every carrier: a writer of JSON goes through them here, one of
/// protobuf elsewhere adds a tag to each. What the values are read from is an `UploadContext`.
package struct UploadProgram: Sendable {
  /// What a step does.
  package enum Kind: Sendable, BitwiseCopyable {
    case value
    case objectStart, objectEnd
    case listStart, listEnd
    /// What stands between the two is written once for every fix of the request.
    case eachStart, eachEnd
  }

  /// One step of a program.
  package struct Step: Sendable, BitwiseCopyable {
    /// Says what the step does.
    package var kind: Kind
    /// Is the index of its key in `keys`; −1: an item of a list, or the message itself.
    package var key: Int32
    /// Is the index of its value in `values`; −1: the step is none.
    package var value: Int32
    /// Is the index of the step that ends what this one starts, or the other way round.
    package var match: Int32
  }

  /// A value of a program.
  package struct Value: Sendable, BitwiseCopyable {
    /// Is the index of its first piece in `pieces`.
    package var firstPiece: Int32
    /// Counts its pieces; 0: an empty text.
    package var pieceCount: Int32
    /// Is true if the value is one source, written with the source's own type.
    package var isWhole: Bool
    /// Is true if it is one piece of literal text, whose JSON stands in `json`.
    package var isConstant: Bool
    /// Says when the key is left out.
    package var omit: OmitRule
    /// Says how it is written.
    package var type: WrittenType
    /// Is the piece that stands where the value is unknown; −1: there is none.
    package var fallback: Int32
    /// Is the index of its translations in `words`; −1: it has none.
    package var words: Int32
  }

  /// A piece of a value: a literal text or a source.
  package struct Piece: Sendable, BitwiseCopyable {
    /// Says where it comes from.
    package var source: ValueSource
    /// Is the unit of a source.
    package var unit: ValueUnit
    /// Is the least number of digits.
    package var width: UInt8
    /// Is the number of decimals; 255: as many as there are.
    package var decimals: UInt8
    /// Is false for a literal that stands in the message itself, and not under a name.
    package var isNamed: Bool
    /// Is where a literal's text begins and ends in `bytes`.
    package var text: Span
    /// Is where the same stands as JSON: a number, a flag, `null` or a text in quotes.
    package var json: Span

    /// Says how many decimals are written; nil: as many as there are.
    package var writtenDecimals: UInt8? { decimals == 255 ? nil : decimals }

    /// Whether a number is nought as it is written.
    package func isZero(_ number: FixedPoint) -> Bool {
      (writtenDecimals.map { number.rounded(to: $0) } ?? number).units == 0
    }
  }

  /// A part of `bytes`.
  package struct Span: Sendable, BitwiseCopyable {
    /// Is the first byte.
    package var start: Int32
    /// Is the byte behind the last.
    package var end: Int32
  }

  /// A key, as it is and as JSON writes it: in quotes, with its colon.
  package struct Key: Sendable {
    /// Is the key.
    package var name: String
    /// Is where `"name":` stands in `bytes`.
    package var json: Span
  }

  /// Holds the steps in order.
  package private(set) var steps: [Step] = []
  /// Holds where each step was written.
  package private(set) var origins: [Origin] = []
  /// Holds the keys.
  package private(set) var keys: [Key] = []
  /// Holds the values.
  package private(set) var values: [Value] = []
  /// Holds the pieces of all values.
  package private(set) var pieces: [Piece] = []
  /// Holds translations of texts, for the values that have some.
  package private(set) var words: [[TableEntry<String>]] = []
  /// Holds the literal texts.
  package private(set) var bytes: [UInt8] = []

  /// Compiles a message.
  ///
  /// - Parameter names: what the target's own names mean; all names of the message are among them.
  package init(_ message: MappingNode, _ names: TargetNames) {
    add(message, key: -1, names)
  }

  /// Compiles a text, such as a path or the value of a header.
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
    // `$token` that is a literal text is a text, whatever it looks like.
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

  /// Appends a literal text.
  func append(_ span: Span, _ escape: TextEscape = .none, to out: inout [UInt8]) {
    bytes.withUnsafeBufferPointer {
      let part = UnsafeBufferPointer(rebasing: $0[Int(span.start)..<Int(span.end)])
      if escape == .none { out.append(contentsOf: part) } else { out.append(part, escape) }
    }
  }

  /// The bytes of a literal text.
  package func slice(_ span: Span) -> ArraySlice<UInt8> {
    bytes[Int(span.start)..<Int(span.end)]
  }
}

/// Texts of a file that stand for more than a text in JSON.
enum JSONLiteral {
  /// Whether JSON has the text as `true`, `false`, `null` or a number (RFC 8259 section 6).
  static func isOne(_ text: String) -> Bool {
    switch text {
    case "true", "false", "null": true
    case _: text.wholeMatch(of: #/-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/#) != nil
    }
  }
}
