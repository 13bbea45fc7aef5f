package import Core

/// Compressed traffic and the cost of a batch; connections and bytes are counted.
package struct TrafficFigures: Equatable, Sendable, Codable {
  /// Savings by kind of message; absent if nothing was compressed.
  package var compressed: [Compressed]?
  /// `bytesSent` over acknowledged batches; null without any.
  @Nullable package var bytesPerBatch: Double?
  /// `bytesSent` over acknowledged fixes; null without any.
  @Nullable package var bytesPerFix: Double?

  package init() {}

  /// Kind of message → bytes saved; nil if nothing was compressed.
  package static func saved(_ rows: [Compressed]?) -> [String: Int]? {
    rows.map { rows in Dictionary(rows.map { ($0.kind, $0.saved) }, uniquingKeysWith: +) }
  }
}

extension TrafficFigures {
  /// The compressed messages of one kind, in both directions.
  package struct Compressed: Equatable, Sendable, Codable {
    /// The method of the calls; for `upload`, only the payloads.
    package var kind: String
    package var messages: Int
    package var plainBytes: Int
    package var bytes: Int

    /// Never negative: messages that would grow stay plain.
    package var saved: Int { plainBytes - bytes }

    package init(kind: String, messages: Int, plainBytes: Int, bytes: Int) {
      self.kind = kind
      self.messages = messages
      self.plainBytes = plainBytes
      self.bytes = bytes
    }
  }
}
