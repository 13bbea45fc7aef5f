internal import SimulationCore

/// One transaction's worth of records and the bytes they name.
struct CommitGroup: Sendable {
  /// A row takes about 5 µs to insert: 20 ms for the last to wait beside the fsync.
  static let recordsMax = 4_096
  /// As much as so many records of a kilobyte.
  static let bytesMax = 4 << 20

  var records: [StoreRecord] = []
  var tokens: [UInt64] = []
  var bytes: [UInt8] = []
  /// When the first record came.
  var since = WallInstant.distantPast

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

/// What loop and store share: the groups that wait, the oldest first, and what became of others.
///
/// What waits in all is bounded by the requests that may be open (`inFlightBytesMax`).
struct StoreMailbox: Sendable {
  /// Full groups, before the one that fills.
  private var waiting: [CommitGroup] = []
  private var filling = CommitGroup()
  var reports: [CommitReport] = []
  var isDraining = false

  var hasFull: Bool { !waiting.isEmpty || filling.isFull }

  /// Since when the oldest record waits whose transaction has not begun; nil: none does.
  var oldestSince: WallInstant? {
    waiting.first?.since ?? (filling.records.isEmpty ? nil : filling.since)
  }

  mutating func put(
    _ token: UInt64, _ record: (inout CommitGroup) -> StoreRecord, at now: () -> WallInstant
  ) {
    if filling.isFull {
      waiting.append(filling)
      filling = CommitGroup()
    }
    if filling.records.isEmpty { filling.since = now() }
    let made = record(&filling)
    filling.records.append(made)
    filling.tokens.append(token)
  }

  /// Swaps the buffers, so that neither side allocates once they have grown. False, and nothing
  /// drains any more, when there is nothing to take.
  mutating func take(into group: inout CommitGroup) -> Bool {
    if !waiting.isEmpty {
      group = waiting.removeFirst()
      return true
    }
    guard !filling.records.isEmpty else {
      isDraining = false
      return false
    }
    group.removeAll()
    swap(&group, &filling)
    return true
  }
}
