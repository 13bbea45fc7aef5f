package import Core

/// Compressed traffic, and bytes per batch and fix. Totals are in `RunRecord.figures`.
package struct TrafficFigures: Equatable, Sendable, Codable {
  /// Savings by kind of message; absent if nothing was compressed.
  package var compressed: [Compressed]?
  /// `bytesSent` per acknowledged batch; null without such batches.
  @Nullable package var bytesPerBatch: Double?
  /// `bytesSent` per acknowledged fix; null without such fixes.
  @Nullable package var bytesPerFix: Double?

  package init() {}

  /// Returns the bytes saved by kind of message; nil if nothing was compressed.
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

    /// The bytes saved, never negative, since messages that would grow stay plain.
    package var saved: Int { plainBytes - bytes }

    package init(kind: String, messages: Int, plainBytes: Int, bytes: Int) {
      self.kind = kind
      self.messages = messages
      self.plainBytes = plainBytes
      self.bytes = bytes
    }
  }
}
