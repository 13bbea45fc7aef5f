package import ServerLogic
package import Telemetry

/// What a store holds: read by a collector that goes on with it, or to prove or export it.
///
/// Payload bytes are valid during the call they are given to. Used from one thread at a time.
package protocol StoreSource: AnyObject {
  /// What messages call it: the path of its file.
  var name: String { get }

  // MARK: To go on with it

  /// What all committed batches come to, as was summed up while they were committed.
  func totals() throws(StoreError) -> StoreTotals

  /// The run that it belongs to; nil: none was ever opened.
  func storedRun() throws(StoreError) -> StoredRun?

  /// Everything stored: phones first, then batches and occasions in the order in which they came.
  func replay(
    phone: (PhoneSnapshot) -> Void, event: (StoredEvent) -> Void
  ) throws(StoreError)

  /// The batches of one phone that another server took before, as its row says.
  func carried(_ phone: PhoneID) throws(StoreError) -> SequenceRun

  // MARK: To prove it

  /// Tells what is wrong with the store's own structure, `count` faults at most.
  func checkStructure(atMost count: Int, _ fault: (String) -> Void)

  /// All batches from row `number` on, by number. A throw may come after some of them.
  func batches(
    from number: Int64, _ body: (Int64, StoredBatch, UnsafeRawBufferPointer) -> Void
  ) throws(StoreError)

  /// The ids of all batches by phone, epoch and sequence, each with what the phone's row says that
  /// another server took before; nil: nothing.
  func sequences(_ body: (BatchID, SequenceRun?) -> Void) throws(StoreError)

  // MARK: To export it

  func holds(_ phone: PhoneID) throws(StoreError) -> Bool

  /// Walks over the batches of one phone, or of all, until `body` returns false.
  func batches(
    of phone: PhoneID?, _ order: BatchOrder, _ body: (StoredBatch, UnsafeRawBufferPointer) -> Bool
  ) throws(StoreError)
}

package enum BatchOrder: Sendable {
  case arrival
  /// By phone, epoch and sequence.
  case phone
}

/// One line of a store's two logs.
package enum StoredEvent {
  case batch(StoredBatch, payload: UnsafeRawBufferPointer)
  case occasion(WakeOccasion)
}
