package import ServerLogic
package import SimulationCore
package import Telemetry

/// Reads what a store holds, for a collector that resumes it, or to audit or export it.
///
/// Payload bytes are valid only during the call that they are passed to. Used from one thread at a
/// time.
package protocol StoreSource: AnyObject {
  /// Is the store's name in messages: the path of its file.
  var name: String { get }

  // MARK: To go on with it

  /// Reads the totals of all committed batches, as they were summed while they were committed.
  func totals() throws(StoreError) -> StoreTotals

  /// Reads the totals of those of them that retention took; they are not in the store any more.
  func dropped() throws(StoreError) -> StoreTotals

  /// Reads the run that the store belongs to; nil where none was ever opened.
  func storedRun() throws(StoreError) -> StoredRun?

  /// Reads everything stored: what is known of phones before what they sent, then batches and
  /// occasions in the order in which they came.
  ///
  /// - Returns: the sums over what was read, as the store has them: others may commit to it
  ///   meanwhile.
  @discardableResult
  func replay(event: (StoredEvent) -> Void) throws(StoreError) -> StoreSums

  /// Reads which batches of one phone another server took before, as its row says.
  func carried(_ phone: PhoneID) throws(StoreError) -> SequenceRun

  // MARK: To prove it

  /// Returns the store as it now is on its disk: nothing of what is read of it comes from this
  /// process's memory, even where a collector has it open.
  func onDisk() throws(StoreError) -> any StoreSource

  /// Reports what is wrong with the store's own structure, and with all that it holds beside
  /// batches, `count` faults at most.
  func checkStructure(atMost count: Int, _ fault: (String) -> Void) throws(StoreError)

  /// Reads all batches from row `number` on, by number, until `body` returns false. An error may be
  /// thrown after some of them.
  func batches(
    from number: Int64, _ body: (Int64, StoredBatch, UnsafeRawBufferPointer) -> Bool
  ) throws(StoreError)

  /// Reads the ids of all batches by phone, epoch and sequence, each with what the phone's row says
  /// that another server took before; nil for nothing.
  func sequences(_ body: (BatchID, SequenceRun?) -> Void) throws(StoreError)

  // MARK: To export it

  func holds(_ phone: PhoneID) throws(StoreError) -> Bool

  /// Walks over the batches of one phone, or of all, until `body` returns false.
  func batches(
    of phone: PhoneID?, _ order: BatchOrder, _ body: (StoredBatch, UnsafeRawBufferPointer) -> Bool
  ) throws(StoreError)
}

extension StoreSource {
  /// Is nothing where a store keeps all that it took.
  package func dropped() throws(StoreError) -> StoreTotals { StoreTotals() }
  /// Returns the store itself where nobody has it open to write.
  package func onDisk() throws(StoreError) -> any StoreSource { self }
}

/// Is the order in which batches are read.
package enum BatchOrder: Sendable {
  case arrival
  /// Orders by phone, epoch and sequence.
  case phone
}

/// Is one entry of a store's logs.
package enum StoredEvent {
  case batch(StoredBatch, payload: UnsafeRawBufferPointer)
  /// A batch that a collector judged when it came, so that its fixes need not be decoded.
  case judged(BatchDigest, at: SimInstant)
  case occasion(WakeOccasion)
  case registration(PhoneID, Authorization, tokenValid: Bool, at: SimInstant)
  /// What another server knew of a phone.
  case phone(PhoneSnapshot)
}
