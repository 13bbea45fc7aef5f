internal import SimulationCore

/// What loop and store share: the groups that wait, the oldest first, and what became of others.
///
/// What waits in all is bounded by the requests that may be open (`inFlightBytesMax`).
struct StoreMailbox: Sendable {
  /// Full groups, before the one that fills.
  private var waiting: [CommitGroup] = []
  private var filling = CommitGroup()
  /// Empty, with buffers that have grown; as many as groups may be under way.
  private var spare: [CommitGroup] = []
  private var underWay = 0
  var reports: [CommitReport] = []
  /// Somebody takes groups, or is on the way to do so.
  private var isDraining = false

  private var hasRecords: Bool { !waiting.isEmpty || !filling.records.isEmpty }
  var hasFull: Bool { !waiting.isEmpty || filling.isFull }
  /// Something waits or is under way.
  var isBusy: Bool { isDraining || underWay > 0 || hasRecords }

  /// Since when the oldest record waits whose transaction has not begun; nil: none does.
  var oldestSince: WallInstant? {
    waiting.first?.since ?? (filling.records.isEmpty ? nil : filling.since)
  }

  mutating func put(
    _ token: UInt64, _ record: (inout CommitGroup) -> StoreRecord, at now: () -> WallInstant
  ) {
    if filling.isFull {
      waiting.append(filling)
      filling = spare.popLast() ?? CommitGroup()
    }
    if filling.records.isEmpty { filling.since = now() }
    let made = record(&filling)
    filling.records.append(made)
    filling.tokens.append(token)
  }

  /// True: the caller has to see to it that groups are taken, since there are some, another may be
  /// under way, and nobody else does.
  mutating func startDraining(_ groupsMax: Int) -> Bool {
    guard !isDraining, hasRecords, underWay < groupsMax else { return false }
    isDraining = true
    return true
  }

  /// Moves the next group to `group`, which is empty. False, and nobody drains any more, when there
  /// is none, or as many are under way as may be.
  mutating func take(into group: inout CommitGroup, _ groupsMax: Int) -> Bool {
    guard hasRecords, underWay < groupsMax else {
      isDraining = false
      return false
    }
    underWay += 1
    if !waiting.isEmpty {
      group = waiting.removeFirst()
    } else {
      // Buffers go round, so that neither side allocates once they have grown.
      if let grown = spare.popLast() { group = grown }
      swap(&group, &filling)
    }
    return true
  }

  /// Takes the buffers of a group that has ended, and what became of it.
  mutating func ended(_ group: inout CommitGroup, _ report: CommitReport) {
    underWay -= 1
    reports.append(report)
    group.removeAll()
    guard spare.count <= underWay else { return }
    spare.append(CommitGroup())
    swap(&spare[spare.count - 1], &group)
  }
}
