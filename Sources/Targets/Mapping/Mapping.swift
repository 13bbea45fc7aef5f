package import Scenarios

/// When a key is omitted from a request.
package enum OmitRule: String, CaseIterable, Sendable, BitwiseCopyable {
  case never, unknown
  /// The key is omitted if the value is unknown, zero, false or an empty text.
  case zero
}

package enum WrittenType: String, CaseIterable, Sendable, BitwiseCopyable {
  case own, text, number
}

package struct MappedValue: Sendable {
  package var origin: Origin
  package var text: ValueText
  package var omit = OmitRule.never
  /// The text for an unknown value; nil to write `null` in JSON, and nothing in a form.
  package var fallback: String?
  package var type = WrittenType.own
  /// The number of decimals to write; nil for all decimals of the number.
  package var decimals: UInt8?
  /// Translations of texts, such as `driving` to `in_vehicle`; other texts stay as they are.
  package var words: [TableEntry<String>] = []
}

package struct MappingNode: Sendable {
  package indirect enum Content: Sendable {
    case value(MappedValue)
    case object([MappingField])
    case list([MappingNode])
    case each(MappingNode)
    /// The base64 of a text, or of the JSON of anything else (RFC 4648, section 4).
    case base64(MappingNode)
  }

  package let origin: Origin
  package let content: Content
}

package struct MappingField: Sendable {
  package let key: String
  package let keyOrigin: Origin
  package let node: MappingNode
}

extension MappingNode {
  package var hasEach: Bool {
    switch content {
    case .value: false
    case .object(let fields): fields.contains { $0.node.hasEach }
    case .list(let nodes): nodes.contains(where: \.hasEach)
    case .each: true
    case .base64(let node): node.hasEach
    }
  }

  fileprivate var hasBase64: Bool {
    switch content {
    case .value: false
    case .object(let fields): fields.contains { $0.node.hasBase64 }
    case .list(let nodes): nodes.contains(where: \.hasBase64)
    case .each(let node): node.hasBase64
    case .base64: true
    }
  }

  package func forEachValue(_ body: (MappedValue) -> Void) {
    switch content {
    case .value(let value): body(value)
    case .object(let fields): for field in fields { field.node.forEachValue(body) }
    case .list(let nodes): for node in nodes { node.forEachValue(body) }
    case .each(let node), .base64(let node): node.forEachValue(body)
    }
  }
}

enum MappingSchema {
  static let allowed =
    "keys with values such as $latitude, texts with {id} in them, lists, { each: fix, … } or "
    + "{ $base64: … }"

  static var message: Shape<MappingNode> {
    Shape(
      allowed: allowed, form: .anything(allowed: allowed),
      read: { node, reading in read(node, isInEach: false, &reading) },
      show: { node, _ in shown(node) })
  }

  /// The shape of a form or a query: one level, with a value under each key.
  static var parameters: Shape<MappingNode> {
    let allowed = "a map of names with values such as $latitude, or texts with {id} in them"
    return Shape(
      allowed: allowed, form: .anything(allowed: allowed),
      read: { node, reading in
        guard let read = read(node, isInEach: false, &reading) else { return nil }
        guard case .object(let fields) = read.content else {
          reading.diagnose(node.origin, "there is \(node.kind); write \(allowed).")
          return nil
        }
        for field in fields {
          guard case .value = field.node.content else {
            reading.diagnose(
              field.keyOrigin, "'\(field.key)' is a map or a list, which a form cannot hold.")
            continue
          }
        }
        return read
      },
      show: { node, _ in shown(node) })
  }

  private static func read(
    _ node: YAMLNode, isInEach: Bool, _ reading: inout Reading
  ) -> MappingNode? {
    switch node.content {
    case .scalar:
      guard let text = Shape<ValueText>.valueText.read(node, &reading) else { return nil }
      var value = MappedValue(origin: node.origin, text: text)
      // A quoted value is a text, even if it looks like a number.
      if node.isQuoted, text.constant != nil { value.type = .text }
      return MappingNode(origin: node.origin, content: .value(value))
    case .list(let nodes):
      let items = nodes.enumerated().compactMap { index, item in
        reading.inside(item: "\(index)") { read(item, isInEach: isInEach, &$0) }
      }
      return items.count == nodes.count
        ? MappingNode(origin: node.origin, content: .list(items)) : nil
    case .map(let entries):
      if entries.contains(where: { $0.key == "each" }) {
        return each(node, entries, isInEach: isInEach, &reading)
      }
      if entries.contains(where: { $0.key == "is" }) { return value(node, &reading) }
      if let special = entries.first(where: { $0.key == "$base64" || $0.key == "$hmac" }) {
        return base64(special, alone: entries.count == 1, isInEach: isInEach, &reading)
      }
      return object(entries, at: node.origin, isInEach: isInEach, &reading)
    }
  }

  private static func object(
    _ entries: [YAMLNode.Entry], at origin: Origin, isInEach: Bool, _ reading: inout Reading
  ) -> MappingNode? {
    let fields = entries.compactMap { entry in
      reading.inside(key: entry.key) { read(entry.value, isInEach: isInEach, &$0) }.map {
        MappingField(key: unescaped(entry.key), keyOrigin: entry.keyOrigin, node: $0)
      }
    }
    return fields.count == entries.count
      ? MappingNode(origin: origin, content: .object(fields)) : nil
  }

  /// A backslash before a key removes the key's special meaning, as in `\is` and `\each`.
  private static func unescaped(_ key: String) -> String {
    key.hasPrefix("\\") ? String(key.dropFirst()) : key
  }

  private static func escaped(_ key: String) -> String {
    ["is", "each", "$base64", "$hmac"].contains(key) || key.hasPrefix("\\") ? "\\" + key : key
  }

  private static func each(
    _ node: YAMLNode, _ entries: [YAMLNode.Entry], isInEach: Bool, _ reading: inout Reading
  ) -> MappingNode? {
    guard let each = node.value(of: "each"), case .scalar("fix") = each.content else {
      reading.diagnose(node.origin, "'each' repeats only for fixes; write each: fix.")
      return nil
    }
    guard !isInEach else {
      reading.diagnose(node.origin, "'each' is inside another 'each'; write it once.")
      return nil
    }
    let rest = entries.filter { $0.key != "each" }
    let item =
      rest.count == 1 && rest[0].key == "is"
      ? read(rest[0].value, isInEach: true, &reading)
      : object(rest, at: node.origin, isInEach: true, &reading)
    return item.map { MappingNode(origin: node.origin, content: .each($0)) }
  }

  private static func base64(
    _ entry: YAMLNode.Entry, alone: Bool, isInEach: Bool, _ reading: inout Reading
  ) -> MappingNode? {
    guard entry.key == "$base64" else {
      reading.diagnose(
        entry.keyOrigin,
        "'$hmac' signs the whole body; write it as a header: headers: { X-Signature: "
          + "{ $hmac: … } }, or '\\$hmac' for a key of this name.")
      return nil
    }
    guard alone else {
      reading.diagnose(
        entry.keyOrigin, "'$base64' has other keys beside it; write it alone, or '\\$base64'.")
      return nil
    }
    guard let inner = read(entry.value, isInEach: isInEach, &reading) else { return nil }
    guard !inner.hasBase64 else {
      reading.diagnose(entry.keyOrigin, "'$base64' is around another '$base64'; write it once.")
      return nil
    }
    return MappingNode(origin: entry.keyOrigin, content: .base64(inner))
  }

  private static func value(_ node: YAMLNode, _ reading: inout Reading) -> MappingNode? {
    let blank = MappedValue(origin: node.origin, text: .empty)
    guard var read = valueKeys.read(node, into: blank, &reading) else { return nil }
    if node.value(of: "is")?.isQuoted == true, node.value(of: "as") == nil,
      read.text.constant != nil
    {
      read.type = .text
    }
    return MappingNode(origin: node.origin, content: .value(read))
  }

  private static var valueKeys: ObjectShape<MappedValue> {
    ObjectShape(fields: [
      Field("is", \.text, .valueText, required: true, "Value to write."),
      Field("omit", \.omit, .word(OmitRule.self), "When to omit the key."),
      Field(
        "default", \.fallback, Shape<String>.sentence.mapped({ $0 }, { $0 ?? "" }),
        "Text for an unknown value."),
      Field("as", \.type, .word(WrittenType.self), "Type, if not that of the value."),
      Field(
        "decimals", \.decimals, Shape<UInt8>.count(0...9).mapped({ $0 }, { $0 ?? 0 }),
        "Number of decimals."),
      Field(
        "words", \.words, .table(of: .sentence, "words", most: 64),
        "Translations of texts, such as { driving: in_vehicle }."),
    ])
  }

  private static func shown(_ node: MappingNode) -> Shown {
    switch node.content {
    case .value(let value): .scalar(value.text.written)
    case .object(let fields): .map(fields.map { (escaped($0.key), shown($0.node)) })
    case .list(let nodes): .list(nodes.map(shown))
    case .each(let node): .map([("each", .scalar("fix")), ("is", shown(node))])
    case .base64(let node): .map([("$base64", shown(node))])
    }
  }
}
