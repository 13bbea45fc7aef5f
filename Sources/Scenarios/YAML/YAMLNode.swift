/// One node of a YAML tree, with the place where it was written.
///
/// Scalars stay text: what `08:05` or `30%` mean is for the key's shape to say, not for YAML's
/// implicit types.
package struct YAMLNode: Sendable {
  /// One key of a map, where it was written, and its value.
  package struct Entry: Sendable {
    /// Is the key as it was written.
    package var key: String
    /// Is where the key was written.
    package var keyOrigin: Origin
    /// Is what stands under the key.
    package var value: YAMLNode

    /// Makes an entry of a map.
    package init(key: String, keyOrigin: Origin, value: YAMLNode) {
      self.key = key
      self.keyOrigin = keyOrigin
      self.value = value
    }
  }

  /// What a node is: text, a list or a map.
  package enum Content: Sendable {
    case scalar(String)
    case list([YAMLNode])
    case map([Entry])
  }

  /// Is where the node begins.
  package var origin: Origin
  /// Is what stands there.
  package var content: Content
  /// Is true for a scalar in quotes, or in a block of its own: a text, whatever it looks like.
  package var isQuoted = false

  /// Makes a node.
  package init(origin: Origin, content: Content) {
    self.origin = origin
    self.content = content
  }

  /// The value under `key`, if this is a map that has it.
  package func value(of key: String) -> YAMLNode? {
    switch content {
    case .scalar, .list: nil
    case .map(let entries): entries.first { $0.key == key }?.value
    }
  }

  /// How an error calls this node when it wanted another kind.
  package var kind: String {
    switch content {
    case .scalar(let text): text.isEmpty ? "nothing" : "'\(text)'"
    case .list: "a list"
    case .map: "a map"
    }
  }
}
