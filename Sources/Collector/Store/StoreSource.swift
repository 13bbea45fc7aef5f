package import Core
package import ServerLogic

/// Reads a store, for resumption, audit or export. Payload bytes are valid only during the call.
/// One thread may use a source at a time.
package protocol StoreSource: AnyObject {
  var name: String { get }

  // MARK: Resumption

  /// Returns the totals that collectors summed at commit.
  func totals() throws(StoreError) -> StoreTotals

  /// Returns the totals of what retention dropped.
  func dropped() throws(StoreError) -> StoreTotals

  func storedRun() throws(StoreError) -> StoredRun?

  /// Reads all records, phones first, then batches and occasions in order of arrival. Other
  /// collectors may commit meanwhile, so the returned sums cover what was read.
  @discardableResult
  func replay(event: (StoredEvent) -> Void) throws(StoreError) -> StoreSums

  /// Returns the batches of a phone that another server received before.
  func carried(_ phone: PhoneID) throws(StoreError) -> SequenceRun

  // MARK: Verification

  /// Returns the store as it is on disk, without this process's caches.
  func onDisk() throws(StoreError) -> any StoreSource

  /// Reports at most `count` faults in the store's structure and its contents other than batches.
  func checkStructure(atMost count: Int, _ fault: (String) -> Void) throws(StoreError)

  /// Reads batches from `number` on, until `body` returns false; may throw after some batches.
  func batches(
    from number: Int64, _ body: (Int64, StoredBatch, UnsafeRawBufferPointer) -> Bool
  ) throws(StoreError)

  /// Reads all batch IDs by phone, epoch and sequence, each with the run of another server.
  func sequences(_ body: (BatchID, SequenceRun?) -> Void) throws(StoreError)

  // MARK: Export

  func holds(_ phone: PhoneID) throws(StoreError) -> Bool

  /// Reads the batches of one phone, or of all phones, until `body` returns false.
  func batches(
    of phone: PhoneID?, _ order: BatchOrder, _ body: (StoredBatch, UnsafeRawBufferPointer) -> Bool
  ) throws(StoreError)
}

extension StoreSource {
  package func dropped() throws(StoreError) -> StoreTotals { StoreTotals() }
  package func onDisk() throws(StoreError) -> any StoreSource { self }
}

package enum BatchOrder: Sendable {
  case arrival
  case phone
}

package enum StoredEvent {
  case batch(StoredBatch, payload: UnsafeRawBufferPointer)
  /// A batch judged on arrival, so that its fixes need not be decoded.
  case judged(BatchDigest, at: SimInstant)
  case occasion(WakeOccasion)
  case registration(PhoneID, Authorization, tokenValid: Bool, at: SimInstant)
  case phone(PhoneSnapshot)
}
