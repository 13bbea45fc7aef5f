internal import Core

/// Waiting groups, oldest first, and the reports of ended groups, shared by the loop and the store.
struct StoreMailbox: Sendable {
  private var waiting: [CommitGroup] = []
  private var filling = CommitGroup()
  private var spare: [CommitGroup] = []
  private var underWay = 0
  private let recordsMax: Int
  var reports: [CommitReport] = []
  /// Whether the store's queue is taking groups or is about to take one.
  private var isDraining = false
  var isClosing = false

  init(recordsMax: Int = CommitGroup.recordsMax) { self.recordsMax = recordsMax }

  private var hasRecords: Bool { !waiting.isEmpty || !filling.records.isEmpty }
  var hasFull: Bool { !waiting.isEmpty || filling.isFull(recordsMax) }
  var isBusy: Bool { isDraining || underWay > 0 || hasRecords }

  var oldestSince: WallInstant? {
    waiting.first?.since ?? (filling.records.isEmpty ? nil : filling.since)
  }

  mutating func put(
    _ token: UInt64, _ record: (inout CommitGroup) -> StoreRecord, at now: () -> WallInstant
  ) {
    if filling.isFull(recordsMax) {
      waiting.append(filling)
      filling = spare.popLast() ?? CommitGroup()
    }
    if filling.records.isEmpty { filling.since = now() }
    let made = record(&filling)
    filling.records.append(made)
    filling.tokens.append(token)
  }

  mutating func startDraining(_ groupsMax: Int) -> Bool {
    guard !isDraining, hasRecords, underWay < groupsMax else { return false }
    isDraining = true
    return true
  }

  /// Moves the next group to the empty `group`. If none may begin, returns false and ends draining.
  mutating func take(into group: inout CommitGroup, _ groupsMax: Int) -> Bool {
    guard hasRecords, underWay < groupsMax else {
      isDraining = false
      return false
    }
    underWay += 1
    if !waiting.isEmpty {
      group = waiting.removeFirst()
    } else {
      // The groups exchange buffers, so that neither side allocates once the buffers have grown.
      if let grown = spare.popLast() { group = grown }
      swap(&group, &filling)
    }
    return true
  }

  mutating func ended(_ group: inout CommitGroup, _ report: CommitReport) {
    underWay -= 1
    reports.append(report)
    group.removeAll()
    guard spare.count <= underWay else { return }
    spare.append(CommitGroup())
    swap(&spare[spare.count - 1], &group)
  }
}
