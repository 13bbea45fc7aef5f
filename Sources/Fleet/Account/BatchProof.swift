package import Core

/// The comparison of a fleet's batches with a server's, batch by batch. A batch without an answer
/// may be stored or not. Proofs of ranges of phones can be added.
package struct BatchProof: Codable, Equatable, Sendable {
  /// The sum of `BatchHash` over the batches that the server must have.
  package var expectedHash: UInt64 = 0
  package var unknownStored = 0
  package var unknownStoredFixes = 0
  /// The acknowledged batches that the server lacks, by (phone, sequence).
  package var acknowledgedMissing: [BatchID] = []
  /// The number of missing fixes; nil if unknown, since phones do not keep acknowledged fixes.
  package var missingFixes: Int?

  package init() {}

  /// Queries a server for the batches that a fleet's phones sent. Excludes batches from before the
  /// run: `restored` has the `order` of each phone's newest batch that the server had.
  package init(_ fleet: PhoneFleet, restored: [UInt64], stored: (BatchID) -> Bool) {
    expectedHash = fleet.metrics().acknowledgedHash
    var proof = self
    fleet.inOrder { shard in
      shard.unanswered { id, hash, fixes in
        guard stored(id) else { return }
        proof.expectedHash &+= hash
        proof.unknownStored += 1
        proof.unknownStoredFixes += fixes
      }
      func ask(_ newest: BatchID) {
        let reported = restored[Int(newest.phone.rawValue) - fleet.phones.lowerBound]
        let isOfThis = reported >> 32 == UInt64(newest.epoch)
        let before = isOfThis ? UInt32(truncatingIfNeeded: reported) : 0
        guard before < newest.sequence else { return }
        for number in (before + 1)...newest.sequence {
          let id = BatchID(phone: newest.phone, epoch: newest.epoch, sequence: number)
          if !stored(id) { proof.acknowledgedMissing.append(id) }
        }
      }
      shard.formerlyAcknowledged(ask)
      shard.acknowledged(ask)
    }
    self = proof
  }

  package mutating func merge(_ other: BatchProof) {
    expectedHash &+= other.expectedHash
    unknownStored += other.unknownStored
    unknownStoredFixes += other.unknownStoredFixes
    acknowledgedMissing += other.acknowledgedMissing
    missingFixes = missingFixes.flatMap { mine in other.missingFixes.map { mine + $0 } }
  }
}
