internal import Scenarios

struct MessageCompiler {
  typealias Step = MessageProgram.Step
  typealias Tag = MessageProgram.Tag
  typealias Field = MessageSchema.Field

  let schema: MessageSchema
  let names: TargetNames
  var diagnostics: [Diagnostic] = []
  var literals: [UInt8] = []
  var texts: [UploadProgram] = []
  var enumerations: [MessageProgram.EnumerationTable] = []

  init(_ schema: MessageSchema, _ names: TargetNames) {
    self.schema = schema
    self.names = names
  }

  mutating func diagnose(_ origin: Origin, _ text: String) {
    diagnostics.append(Diagnostic(origin: origin, text: text))
  }

  /// Returns the steps of a message, or of the messages of a list, each after its length as a varint.
  mutating func body(_ node: MappingNode, _ index: Int) -> [Step] {
    switch node.content {
    case .value, .object, .base64: message(node, index)
    case .each: delimited(node, index)
    case .list(let nodes): nodes.flatMap { delimited($0, index) }
    }
  }

  private mutating func delimited(_ node: MappingNode, _ index: Int) -> [Step] {
    if case .each(let inner) = node.content { return each(delimited(inner, index)) }
    let steps = message(node, index)
    return [begin(.none, dropping: .never, around: steps)] + steps
  }

  private func each(_ items: [Step]) -> [Step] {
    var step = Step(operation: .each, tag: .none)
    step.length = Int32(items.count)
    return [step] + items
  }

  /// Returns the steps of a message's fields, in the order of their numbers.
  mutating func message(_ node: MappingNode, _ index: Int) -> [Step] {
    let message = schema.messages[index]
    guard case .object(let entries) = node.content else {
      diagnose(
        node.origin, "'\(message.name)' is a message; write a map of \(Self.list(message)).")
      return []
    }
    var chunks: [(number: Int, steps: [Step])] = []
    var oneofs: [Int: String] = [:]
    for entry in entries {
      guard let field = message.field(entry.key) else {
        diagnose(entry.keyOrigin, Self.unknown(entry.key, in: message))
        continue
      }
      if chunks.contains(where: { $0.number == field.number }) {
        diagnose(entry.keyOrigin, "'\(field.name)' is written twice.")
      }
      if let oneof = field.oneof {
        if let other = oneofs[oneof] {
          diagnose(
            entry.keyOrigin,
            "'\(field.name)' and '\(other)' are of the oneof '\(message.oneofs[oneof])', "
              + "of which a message has one.")
        }
        oneofs[oneof] = field.name
      }
      chunks.append((field.number, steps(of: field, entry)))
    }
    for field in message.fields where field.isRequired {
      guard !entries.contains(where: { $0.key == field.name || $0.key == field.jsonName }) else {
        continue
      }
      diagnose(node.origin, "'\(message.name)' requires '\(field.name)', which is not written.")
    }
    chunks.sort { $0.number < $1.number }
    return chunks.flatMap(\.steps)
  }

  static func unknown(_ key: String, in message: MessageSchema.Message) -> String {
    let names = message.fields.map(\.name)
    return "'\(message.name)' has no field '\(key)'; it has \(list(message))."
      + Spelling.hint(for: key, in: names)
  }

  static func list(_ message: MessageSchema.Message) -> String {
    let names = message.fields.prefix(12).map(\.name).joined(separator: ", ")
    let more = message.fields.count - 12
    return names.isEmpty ? "no field" : more > 0 ? "\(names) and \(more) more" : names
  }

  // MARK: Fields

  private mutating func steps(of field: Field, _ entry: MappingField) -> [Step] {
    guard field.isRepeated else { return one(field, entry.node) }
    if case .message(let index) = field.type, schema.messages[index].isMapEntry {
      return map(field, schema.messages[index], entry.node)
    }
    let items: [Step]
    switch entry.node.content {
    case .list(let nodes): items = nodes.flatMap { item(field, $0) }
    case .each: items = item(field, entry.node)
    case .value, .object, .base64:
      diagnose(
        entry.node.origin,
        "'\(field.name)' is repeated; write a list, or { each: fix, … } for one of every fix.")
      return []
    }
    guard field.isPacked else { return items }
    return [begin(field.number, dropping: .empty, around: items)] + items
  }

  private func begin(
    _ number: Int, dropping: MessageProgram.Dropping, around items: [Step]
  ) -> Step {
    begin(Tag(field: number, wireType: 2), dropping: dropping, around: items)
  }

  private func begin(
    _ tag: Tag, dropping: MessageProgram.Dropping, around items: [Step]
  ) -> Step {
    var step = Step(operation: .begin, tag: tag)
    step.length = Int32(items.count)
    step.dropping = dropping
    return step
  }

  /// Returns the content of a repeated field: one element, or one per fix.
  private mutating func item(_ field: Field, _ node: MappingNode) -> [Step] {
    guard case .each(let inner) = node.content else { return element(field, node) }
    return each(element(field, inner))
  }

  private mutating func one(_ field: Field, _ node: MappingNode) -> [Step] {
    switch node.content {
    case .value, .object, .base64: return element(field, node)
    case .list, .each:
      diagnose(node.origin, "'\(field.name)' is not repeated; it has one value.")
      return []
    }
  }

  private mutating func map(
    _ field: Field, _ entry: MessageSchema.Message, _ node: MappingNode
  ) -> [Step] {
    guard case .object(let entries) = node.content else {
      diagnose(node.origin, "'\(field.name)' is a map; write keys with their values.")
      return []
    }
    return entries.flatMap { item -> [Step] in
      guard
        let key = constant(item.key, entry.fields[0], item.keyOrigin, tag: tag(entry.fields[0]))
      else { return [] }
      var first = literal(key)
      first.dropping = .unknown
      let steps = [first] + one(entry.fields[1].inMap, item.node)
      return [begin(field.number, dropping: .unknown, around: steps)] + steps
    }
  }

  private mutating func element(_ field: Field, _ node: MappingNode) -> [Step] {
    switch (field.type, node.content) {
    case (.group, _):
      diagnose(node.origin, "'\(field.name)' is a group, which is not written.")
      return []
    case (.message(let index), .value(let value)):
      return wellKnown(field, schema.messages[index], value)
    case (.message(let index), .object):
      let steps = message(node, index)
      return [begin(field.number, dropping: .never, around: steps)] + steps
    case (_, .value(let value)): return leaf(field, value)
    case (_, .base64):
      diagnose(
        node.origin,
        "'\(field.name)' would hold base64; a protobuf field needs none, so write the value itself."
      )
      return []
    case (_, .object), (_, .list), (_, .each):
      diagnose(
        node.origin,
        "'\(field.name)' is a \(schema.word(for: field.type)); write a value such as $latitude.")
      return []
    }
  }

  private mutating func wellKnown(
    _ field: Field, _ message: MessageSchema.Message, _ value: MappedValue
  ) -> [Step] {
    switch message.name {
    case "google.protobuf.Timestamp": return timestamp(field, value)
    case "google.protobuf.Duration": return duration(field, value)
    case "google.protobuf.DoubleValue", "google.protobuf.FloatValue",
      "google.protobuf.Int64Value", "google.protobuf.UInt64Value", "google.protobuf.Int32Value",
      "google.protobuf.UInt32Value", "google.protobuf.BoolValue", "google.protobuf.StringValue",
      "google.protobuf.BytesValue":
      guard let inner = message.field("value") else { break }
      let steps = leaf(inner, value)
      return [begin(field.number, dropping: .unknown, around: steps)] + steps
    case _: break
    }
    diagnose(
      value.origin,
      "'\(field.name)' is the message '\(message.name)'; write a map of \(Self.list(message)).")
    return []
  }

  // MARK: Bytes

  mutating func literal(_ bytes: [UInt8]) -> Step {
    var step = Step(operation: .literal, tag: .none)
    step.place = Int32(literals.count)
    step.count = Int32(bytes.count)
    literals += bytes
    return step
  }

  /// Returns the tag of a field; `none` for a packed field, whose elements have no tags.
  func tag(_ field: Field) -> Tag {
    field.isPacked ? .none : Tag(field: field.number, wireType: field.type.wireType)
  }
}

extension MessageSchema.Field {
  /// The field in a map's entry, whose zeros are written.
  fileprivate var inMap: MessageSchema.Field {
    MessageSchema.Field(
      name: name, jsonName: jsonName, number: number, type: type, isRepeated: false,
      isPacked: false, isRequired: false, hasPresence: true, oneof: nil)
  }
}

extension MessageSchema.FieldType {
  var wireType: UInt64 {
    switch self {
    case .int32, .int64, .uint32, .uint64, .sint32, .sint64, .bool, .enumeration: 0
    case .double, .fixed64, .sfixed64: 1
    case .string, .bytes, .message: 2
    case .group: 3
    case .float, .fixed32, .sfixed32: 5
    }
  }

  var encoding: MessageProgram.Encoding {
    switch self {
    case .sint32, .sint64: .zigzag
    case .fixed32, .sfixed32: .fixed32
    case .fixed64, .sfixed64: .fixed64
    case .float: .float
    case .double: .double
    case .int32, .int64, .uint32, .uint64, .bool, .string, .bytes, .group, .message, .enumeration:
      .varint
    }
  }
}
