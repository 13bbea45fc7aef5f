/// One node of a YAML tree. Scalars stay text: the key's shape interprets `08:05` or `30%`.
package struct YAMLNode: Sendable {
  package struct Entry: Sendable {
    package var key: String
    package var keyOrigin: Origin
    package var value: YAMLNode

    package init(key: String, keyOrigin: Origin, value: YAMLNode) {
      self.key = key
      self.keyOrigin = keyOrigin
      self.value = value
    }
  }

  package enum Content: Sendable {
    case scalar(String)
    case list([YAMLNode])
    case map([Entry])
  }

  package var origin: Origin
  package var content: Content
  /// Whether the scalar is in quotes or a block, and therefore text even if it looks like a number.
  package var isQuoted = false

  package init(origin: Origin, content: Content) {
    self.origin = origin
    self.content = content
  }

  package func value(of key: String) -> YAMLNode? {
    switch content {
    case .scalar, .list: nil
    case .map(let entries): entries.first { $0.key == key }?.value
    }
  }

  package var kind: String {
    switch content {
    case .scalar(let text): text.isEmpty ? "nothing" : "'\(text)'"
    case .list: "a list"
    case .map: "a map"
    }
  }
}
