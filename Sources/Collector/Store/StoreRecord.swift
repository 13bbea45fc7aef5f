internal import ServerLogic
package import SimulationCore
package import Telemetry

/// One batch as the store keeps it: the envelope, when it came, its hash; the payload beside it
/// stays compressed as it was received.
package struct StoredBatch: Equatable, Sendable, BitwiseCopyable {
  package var id: BatchID
  package var receivedAt: SimInstant
  package var receivedAtWall: WallInstant
  package var fixCount: UInt32
  package var hash: UInt64
  /// As `Encoding` of the wire names it.
  package var encoding: UInt8
  package var uncompressedSize: UInt32

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

/// What the loop hands to the store; bytes that belong to it lie in the group's buffer.
enum StoreRecord: Sendable {
  case run(id: Range<Int>, request: Range<Int>, openedAtWall: WallInstant)
  case batch(StoredBatch, payload: Range<Int>)
  case registration(PhoneID, Authorization, tokenValid: Bool, at: SimInstant)
  case snapshot(PhoneSnapshot)
  case occasion(WakeOccasion)
}

/// What a store on disk remembers of its run, beside the batches.
package struct StoredRun: Equatable, Sendable {
  package var id: String
  /// The request that opened the run, as it came over the wire.
  package var openRequest: [UInt8]
  /// The machine's monotonic clock when it came.
  package var openedAtWall: WallInstant

  package init(id: String, openRequest: [UInt8], openedAtWall: WallInstant) {
    self.id = id
    self.openRequest = openRequest
    self.openedAtWall = openedAtWall
  }
}
