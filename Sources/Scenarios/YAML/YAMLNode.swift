/// One node of a YAML tree, with the place where it was written.
///
/// Scalars stay text: what `08:05` or `30%` mean is for the key's shape to say, not for YAML's
/// implicit types.
struct YAMLNode: Sendable {
  struct Entry: Sendable {
    var key: String
    var keyOrigin: Origin
    var value: YAMLNode
  }

  enum Content: Sendable {
    case scalar(String)
    case list([YAMLNode])
    case map([Entry])
  }

  var origin: Origin
  var content: Content

  /// The value under `key`, if this is a map that has it.
  func value(of key: String) -> YAMLNode? {
    switch content {
    case .scalar, .list: nil
    case .map(let entries): entries.first { $0.key == key }?.value
    }
  }

  /// How an error calls this node when it wanted another kind.
  var kind: String {
    switch content {
    case .scalar(let text): text.isEmpty ? "nothing" : "'\(text)'"
    case .list: "a list"
    case .map: "a map"
    }
  }
}
