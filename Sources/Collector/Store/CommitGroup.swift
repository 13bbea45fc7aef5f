internal import SimulationCore

/// One transaction's worth of records and the bytes they name.
package struct CommitGroup: Sendable {
  /// A row takes about 5 µs to insert: 20 ms for the last to wait beside the fsync.
  static let recordsMax = 4_096
  /// As much as so many records of a kilobyte.
  static let bytesMax = 4 << 20

  var records: [StoreRecord] = []
  var tokens: [UInt64] = []
  var bytes: [UInt8] = []
  /// When the first record came.
  var since = WallInstant.distantPast
  /// When its transaction began.
  var began = WallInstant.distantPast

  var isFull: Bool { records.count >= Self.recordsMax || bytes.count >= Self.bytesMax }

  mutating func append(_ more: some Collection<UInt8>) -> Range<Int> {
    let start = bytes.count
    bytes.append(contentsOf: more)
    return start..<bytes.count
  }

  mutating func removeAll() {
    records.removeAll(keepingCapacity: true)
    tokens.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
  }
}
