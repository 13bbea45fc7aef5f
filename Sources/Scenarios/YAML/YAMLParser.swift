internal import CYAML

/// The event stream of libyaml. Owns a `yaml_parser_t` and a copy of the text, freed in `deinit`.
struct YAMLEventStream: ~Copyable {
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let input: UnsafeMutableBufferPointer<UInt8>

  init(_ text: String) {
    parser = .allocate(capacity: 1)
    guard yaml_parser_initialize(parser) == 1 else { fatalError("libyaml: no memory") }
    let bytes = Array(text.utf8)
    input = .allocate(capacity: max(bytes.count, 1))
    _ = input.initialize(from: bytes)
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, input.baseAddress, bytes.count)
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
    input.deallocate()
  }

  enum Step {
    case value(Token, line: Int, column: Int)
    case failed(String, line: Int, column: Int)
  }

  enum Token {
    case scalar(String, isQuoted: Bool)
    case listStart, mapStart, collectionEnd
    case documentStart, documentEnd, streamStart, streamEnd
    case alias
    case decorated(String)
  }

  mutating func next() -> Step {
    var event = yaml_event_t()
    guard yaml_parser_parse(parser, &event) == 1 else {
      let mark = parser.pointee.problem_mark
      let problem = parser.pointee.problem.map { String(cString: $0) } ?? "not YAML"
      return .failed(problem, line: mark.line + 1, column: mark.column + 1)
    }
    defer { yaml_event_delete(&event) }
    let mark = event.start_mark
    return .value(Self.token(of: event), line: mark.line + 1, column: mark.column + 1)
  }

  private static func token(of event: yaml_event_t) -> Token {
    switch event.type {
    case YAML_SCALAR_EVENT:
      let scalar = event.data.scalar
      if let decoration = decoration(scalar.anchor, scalar.tag) { return .decorated(decoration) }
      let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
      return .scalar(
        String(decoding: bytes, as: UTF8.self),
        isQuoted: scalar.style != YAML_PLAIN_SCALAR_STYLE)
    case YAML_SEQUENCE_START_EVENT:
      let start = event.data.sequence_start
      return decoration(start.anchor, start.tag).map { .decorated($0) } ?? .listStart
    case YAML_MAPPING_START_EVENT:
      let start = event.data.mapping_start
      return decoration(start.anchor, start.tag).map { .decorated($0) } ?? .mapStart
    case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: return .collectionEnd
    case YAML_ALIAS_EVENT: return .alias
    case YAML_DOCUMENT_START_EVENT: return .documentStart
    case YAML_DOCUMENT_END_EVENT: return .documentEnd
    case YAML_STREAM_START_EVENT: return .streamStart
    default: return .streamEnd  // A C enum: what is left are STREAM_END and NO_EVENT.
    }
  }

  private static func decoration(
    _ anchor: UnsafeMutablePointer<UInt8>?, _ tag: UnsafeMutablePointer<UInt8>?
  ) -> String? {
    if anchor != nil { return "an anchor (&)" }
    return tag != nil ? "a tag (!)" : nil
  }
}

/// Builds the tree of one document, within bounds. Collects mistakes after which the tree can still
/// be built, and throws the first mistake after which it cannot.
struct YAMLParser: ~Copyable {
  /// The maximum nesting, which keeps recursion within the stack. A scenario needs 8 levels.
  static let depthMax = 32

  private var events: YAMLEventStream
  private let origin: (Int, Int) -> Origin
  private(set) var diagnostics: [Diagnostic] = []

  init(_ text: String, origin: @escaping (_ line: Int, _ column: Int) -> Origin) {
    events = YAMLEventStream(text)
    self.origin = origin
  }

  mutating func document() throws(ScenarioError) -> YAMLNode? {
    var root: YAMLNode?
    while true {
      let (token, place) = try next()
      switch token {
      case .streamStart, .documentEnd: continue
      case .streamEnd: return root
      case .documentStart:
        guard root == nil else { throw fault(place, "a second document; a file holds one.") }
        let (token, place) = try next()
        root = try node(token, place, depth: 0)
      case .scalar, .listStart, .mapStart, .collectionEnd, .alias, .decorated:
        throw fault(place, "unexpected content.")
      }
    }
  }

  private mutating func node(
    _ token: YAMLEventStream.Token, _ place: Origin, depth: Int
  ) throws(ScenarioError) -> YAMLNode {
    guard depth < Self.depthMax else {
      throw fault(place, "nested more than \(Self.depthMax) levels deep.")
    }
    switch token {
    case .scalar(let text, let isQuoted):
      var node = YAMLNode(origin: place, content: .scalar(text))
      node.isQuoted = isQuoted
      return node
    case .listStart: return YAMLNode(origin: place, content: .list(try list(depth: depth)))
    case .mapStart: return YAMLNode(origin: place, content: .map(try map(depth: depth)))
    case .alias: throw fault(place, "an alias (*); write the value out.")
    case .decorated(let what): throw fault(place, "\(what); write plain values.")
    case .collectionEnd, .documentStart, .documentEnd, .streamStart, .streamEnd:
      throw fault(place, "the file ends inside a value.")
    }
  }

  private mutating func list(depth: Int) throws(ScenarioError) -> [YAMLNode] {
    var items: [YAMLNode] = []
    while true {
      let (token, place) = try next()
      if case .collectionEnd = token { return items }
      items.append(try node(token, place, depth: depth + 1))
    }
  }

  private mutating func map(depth: Int) throws(ScenarioError) -> [YAMLNode.Entry] {
    var entries: [YAMLNode.Entry] = []
    var seen: [String: Origin] = [:]
    while true {
      let (token, place) = try next()
      if case .collectionEnd = token { return entries }
      guard case .scalar(let key, _) = token else {
        throw fault(place, "a key must be a plain word.")
      }
      let (valueToken, valuePlace) = try next()
      let value = try node(valueToken, valuePlace, depth: depth + 1)
      if let first = seen[key] {
        diagnostics.append(
          Diagnostic(origin: place, text: "'\(key)' is already set at \(first); keep one."))
        continue
      }
      seen[key] = place
      entries.append(.init(key: key, keyOrigin: place, value: value))
    }
  }

  private mutating func next() throws(ScenarioError) -> (YAMLEventStream.Token, Origin) {
    switch events.next() {
    case .value(let token, let line, let column): return (token, origin(line, column))
    case .failed(let problem, let line, let column):
      throw fault(origin(line, column), "not YAML: \(problem).")
    }
  }

  private func fault(_ place: Origin, _ text: String) -> ScenarioError {
    ScenarioError(diagnostics + [Diagnostic(origin: place, text: text)])
  }
}
