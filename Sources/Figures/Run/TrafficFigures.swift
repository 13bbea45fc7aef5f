/// What travelled compressed and what a batch cost; connections and bytes are counted.
package struct TrafficFigures: Equatable, Sendable, Codable {
  /// Says what compression saved, by kind of message; absent where nothing travelled compressed.
  package var compressed: [Compressed]?
  /// Is `bytesSent` over the batches acknowledged; null without one.
  @Nullable package var bytesPerBatch: Double?
  /// Is `bytesSent` over the fixes acknowledged; null without one.
  @Nullable package var bytesPerFix: Double?
  /// Makes a block of zeros.
  package init() {}

  /// Maps each kind of message to the bytes that compression saved; nil: nothing was compressed.
  package static func saved(_ rows: [Compressed]?) -> [String: Int]? {
    rows.map { rows in Dictionary(rows.map { ($0.kind, $0.saved) }, uniquingKeysWith: +) }
  }
}

extension TrafficFigures {
  /// Counts the messages of one kind that travelled compressed, in both directions.
  package struct Compressed: Equatable, Sendable, Codable {
    /// Is the method of the calls; for `upload` what is meant are the payloads.
    package var kind: String
    /// Counts the messages.
    package var messages: Int
    /// Sums their sizes before compression, in bytes.
    package var plainBytes: Int
    /// Sums their sizes as they travelled, in bytes.
    package var bytes: Int

    /// Is what compression saved, in bytes; never negative for what was left plain when it grew.
    package var saved: Int { plainBytes - bytes }

    /// Makes counts from their parts.
    package init(kind: String, messages: Int, plainBytes: Int, bytes: Int) {
      self.kind = kind
      self.messages = messages
      self.plainBytes = plainBytes
      self.bytes = bytes
    }
  }
}
