internal import Scenarios

/// The path of a field in an answer, from the root: JSON keys and indices, or protobuf names.
package struct FieldPath: Hashable, Sendable, CustomStringConvertible {
  package let keys: [String]

  package static let root = FieldPath(keys: [])

  /// The path as written in a file, such as `/session/id`.
  package var description: String { "/" + keys.joined(separator: "/") }

  static let depthMax = 16
}

extension Shape<FieldPath> {
  /// A path such as `/session/id`, or `id` alone.
  static var fieldPath: Shape {
    .scalar(
      "a path such as /session/id or /points/0/time",
      parse: { (text, _) throws(ValueError) in
        let body = text.hasPrefix("/") ? text.dropFirst() : text[...]
        let keys = body.isEmpty ? [] : body.split(separator: "/", omittingEmptySubsequences: false)
        guard keys.allSatisfy({ !$0.isEmpty }), keys.count <= FieldPath.depthMax else {
          throw ValueError("'\(text)' is not a path of at most \(FieldPath.depthMax) keys")
        }
        if text.contains("{"), let found = ConstantText.placeholder(in: text) {
          throw ValueError("'\(found)' is not a value here: a path has only keys of the answer")
        }
        return FieldPath(keys: keys.map(String.init))
      },
      show: { value, _ in value.description })
  }
}
