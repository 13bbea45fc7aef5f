internal import SimulationCore

/// Holds what loop and store share: the groups that wait, oldest first, and the reports of others.
///
/// The memory of all that waits is bounded by the requests that may be open (`inFlightBytesMax`).
struct StoreMailbox: Sendable {
  /// Holds the full groups that come before the one being filled.
  private var waiting: [CommitGroup] = []
  private var filling = CommitGroup()
  /// Holds empty groups with grown buffers, as many as groups may be under way.
  private var spare: [CommitGroup] = []
  private var underWay = 0
  private let recordsMax: Int
  var reports: [CommitReport] = []
  /// Is true while the store's queue takes groups, or is about to.
  private var isDraining = false

  /// - Parameter recordsMax: the greatest number of records in a group.
  init(recordsMax: Int = CommitGroup.recordsMax) { self.recordsMax = recordsMax }

  private var hasRecords: Bool { !waiting.isEmpty || !filling.records.isEmpty }
  var hasFull: Bool { !waiting.isEmpty || filling.isFull(recordsMax) }
  /// Is true while anything waits or is under way.
  var isBusy: Bool { isDraining || underWay > 0 || hasRecords }

  /// Is the instant since which the oldest record waits for its transaction; nil where none waits.
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

  /// Returns true where the caller has to start taking groups: records wait, another group may be
  /// under way, and no drain is active.
  mutating func startDraining(_ groupsMax: Int) -> Bool {
    guard !isDraining, hasRecords, underWay < groupsMax else { return false }
    isDraining = true
    return true
  }

  /// Moves the next group to `group`, which is empty. Returns false and ends the drain when there
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
      // Buffers are exchanged, so that neither side allocates once they have grown.
      if let grown = spare.popLast() { group = grown }
      swap(&group, &filling)
    }
    return true
  }

  /// Takes the buffers of a group that has ended, and its report.
  mutating func ended(_ group: inout CommitGroup, _ report: CommitReport) {
    underWay -= 1
    reports.append(report)
    group.removeAll()
    guard spare.count <= underWay else { return }
    spare.append(CommitGroup())
    swap(&spare[spare.count - 1], &group)
  }
}
