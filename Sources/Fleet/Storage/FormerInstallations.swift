internal import SimulationCore
internal import Telemetry

/// What the ledgers need of apps that were deleted in the counted time (LC16): a side table,
/// since few phones have an entry.
struct FormerInstallations {
  /// What one deleted app left behind.
  struct Entry {
    /// The newest batch whose acknowledgement the phone perceived; number 0 if there was none.
    var newest: BatchID
    /// The batch that was cut and not answered, which the server may have.
    var unanswered: (id: BatchID, hash: UInt64, fixes: Int)?
  }

  /// The entries of each phone, oldest first, by place in the shard.
  private var entries: [Int: [Entry]] = [:]

  mutating func add(_ entry: Entry, of i: Int) { entries[i, default: []].append(entry) }
  mutating func removeAll() { entries.removeAll() }
  subscript(i: Int) -> [Entry] { entries.isEmpty ? [] : entries[i] ?? [] }
}
