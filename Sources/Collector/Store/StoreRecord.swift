package import Core
internal import ServerLogic

/// A stored batch without its payload, which stays compressed as received.
package struct StoredBatch: Equatable, Sendable, BitwiseCopyable {
  package var id: BatchID
  package var receivedAt: SimInstant
  package var receivedAtWall: WallInstant
  package var fixCount: UInt32
  /// The `BatchHash`, which both sides of the ledger sum.
  package var hash: UInt64
  /// The raw value of the payload's `Encoding` on the wire.
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

/// The facts about a batch's fixes that the server logic needs, kept to save a second decoding.
package struct BatchUpdate: Equatable, Sendable, BitwiseCopyable {
  package var newest: FixTime
  package var coordinate: Coordinate
  /// The newest timestamp of a fix accurate enough to answer a push.
  package var newestAccurate: FixTime

  package init(newest: FixTime, coordinate: Coordinate, newestAccurate: FixTime) {
    self.newest = newest
    self.coordinate = coordinate
    self.newestAccurate = newestAccurate
  }

  init(_ digest: BatchDigest) {
    self.init(
      newest: digest.newest, coordinate: digest.newestCoordinate,
      newestAccurate: digest.newestAccurate)
  }
}

enum StoreRecord: Sendable {
  case run(id: Range<Int>, request: Range<Int>, openedAtWall: WallInstant)
  case batch(StoredBatch, BatchUpdate, payload: Range<Int>)
  case registration(PhoneID, Authorization, tokenValid: Bool, at: SimInstant)
  case snapshot(PhoneSnapshot)
  case occasion(WakeOccasion)
}

package struct StoredRun: Equatable, Sendable {
  package var id: String
  package var openRequest: [UInt8]
  /// The time of the request on the machine's monotonic clock.
  package var openedAtWall: WallInstant
}
