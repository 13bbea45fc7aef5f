internal import Core

package struct CommitGroup: Sendable {
  /// The maximum number of records. At 5 µs per row, the last row waits 20 ms besides the fsync.
  static let recordsMax = 4_096
  /// The maximum size of the payloads in bytes, a kilobyte for each of `recordsMax`.
  static let bytesMax = 4 << 20

  var records: [StoreRecord] = []
  var tokens: [UInt64] = []
  var bytes: [UInt8] = []
  var since = WallInstant.distantPast
  var began = WallInstant.distantPast

  func isFull(_ recordsMax: Int) -> Bool {
    records.count >= recordsMax || bytes.count >= Self.bytesMax
  }

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
