internal import Core
internal import ServerLogic

/// A store that discards everything and commits at once.
final class NoStore: StoreSource, CommitTarget {
  var name: String { "none" }
  var isDurable: Bool { false }
  var groupsMax: Int { 1 }

  func commit(_ group: consuming CommitGroup, for store: BatchStore) { store.ended(group, nil) }

  func close() {}

  // MARK: Reading returns nothing

  func totals() -> StoreTotals { StoreTotals() }
  func storedRun() -> StoredRun? { nil }
  func replay(event: (StoredEvent) -> Void) -> StoreSums { StoreSums() }
  func carried(_ phone: PhoneID) -> SequenceRun { SequenceRun() }
  func checkStructure(atMost count: Int, _ fault: (String) -> Void) {}
  func batches(
    from number: Int64, _ body: (Int64, StoredBatch, UnsafeRawBufferPointer) -> Bool
  ) {}
  func sequences(_ body: (BatchID, SequenceRun?) -> Void) {}
  func holds(_ phone: PhoneID) -> Bool { false }
  func batches(
    of phone: PhoneID?, _ order: BatchOrder, _ body: (StoredBatch, UnsafeRawBufferPointer) -> Bool
  ) {}
}
