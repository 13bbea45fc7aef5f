internal import ServerLogic
package import SimulationCore
package import Telemetry

/// Is one batch as the store keeps it: the envelope, the time of receipt and the hash; the payload
/// beside it stays compressed as it was received.
package struct StoredBatch: Equatable, Sendable, BitwiseCopyable {
  /// Names the batch by phone, epoch and sequence.
  package var id: BatchID
  /// Is the scenario instant at which the collector received the batch.
  package var receivedAt: SimInstant
  /// Is the time of receipt on the machine's monotonic clock.
  package var receivedAtWall: WallInstant
  /// Counts the fixes of the batch, as the envelope says.
  package var fixCount: UInt32
  /// Is the batch's `BatchHash`, which both sides of the ledger sum.
  package var hash: UInt64
  /// Is the number of the payload's encoding, as `Encoding` of the wire defines it.
  package var encoding: UInt8
  /// Is the size of the payload before compression in bytes, as the envelope says.
  package var uncompressedSize: UInt32

  /// Makes a row from an envelope and what the collector adds to it.
  package init(
    id: BatchID, receivedAt: SimInstant, receivedAtWall: WallInstant, fixCount: UInt32,
    hash: UInt64, encoding: UInt8, uncompressedSize: UInt32
  ) {
    self.id = id
    self.receivedAt = receivedAt
    self.receivedAtWall = receivedAtWall
    self.fixCount = fixCount
    self.hash = hash
    self.encoding = encoding
    self.uncompressedSize = uncompressedSize
  }
}

/// Is what of a batch's fixes the server logic goes by, so that they need not be decoded again.
package struct BatchUpdate: Equatable, Sendable, BitwiseCopyable {
  /// Is the newest timestamp among the fixes.
  package var newest: FixTime
  /// Is where the newest fix was taken.
  package var coordinate: Coordinate
  /// Is the newest timestamp among fixes that are accurate enough to answer a push.
  package var newestAccurate: FixTime

  /// Makes the update from its parts.
  package init(newest: FixTime, coordinate: Coordinate, newestAccurate: FixTime) {
    self.newest = newest
    self.coordinate = coordinate
    self.newestAccurate = newestAccurate
  }

  /// Takes the update of a batch that has been judged.
  init(_ digest: BatchDigest) {
    self.init(
      newest: digest.newest, coordinate: digest.newestCoordinate,
      newestAccurate: digest.newestAccurate)
  }
}

/// Is what the loop hands to the store; bytes that belong to it are in the group's buffer.
enum StoreRecord: Sendable {
  case run(id: Range<Int>, request: Range<Int>, openedAtWall: WallInstant)
  case batch(StoredBatch, BatchUpdate, payload: Range<Int>)
  case registration(PhoneID, Authorization, tokenValid: Bool, at: SimInstant)
  case snapshot(PhoneSnapshot)
  case occasion(WakeOccasion)
}

/// Holds what a store on disk remembers of its run, beside the batches.
package struct StoredRun: Equatable, Sendable {
  /// Is the id that the run was opened with.
  package var id: String
  /// Holds the request that opened the run, as it came over the wire.
  package var openRequest: [UInt8]
  /// Is the reading of the machine's monotonic clock when the request came.
  package var openedAtWall: WallInstant

  /// Makes the store's row of a run.
  package init(id: String, openRequest: [UInt8], openedAtWall: WallInstant) {
    self.id = id
    self.openRequest = openRequest
    self.openedAtWall = openedAtWall
  }
}
