internal import Core

/// The ledger entries of apps deleted in the counted time (LC16), in a side table since few phones
/// have an entry.
struct FormerInstallations {
  struct Entry {
    /// The newest batch whose acknowledgement the phone perceived; number 0 if there was none.
    var newest: BatchID
    /// The batch that was cut but not answered, which the server may have; nil if there is none.
    var unanswered: (id: BatchID, hash: UInt64, fixes: Int)?
  }

  private var entries: [Int: [Entry]] = [:]

  mutating func add(_ entry: Entry, of i: Int) { entries[i, default: []].append(entry) }
  mutating func removeAll() { entries.removeAll() }
  subscript(i: Int) -> [Entry] { entries.isEmpty ? [] : entries[i] ?? [] }
}
