package import Telemetry

/// What a server was shown to hold of the batches that phones sent.
///
/// Sets are compared, not only counts: each batch that a phone knows to be acknowledged is asked
/// for, and so is each whose answer it never heard, which may be held or not. Proofs of ranges of
/// phones add.
package struct BatchProof: Codable, Equatable, Sendable {
  /// The sum of `BatchHash` over what the server must hold.
  package var expectedHash: UInt64 = 0
  /// Batches that are held although their phones never heard an answer.
  package var unknownStored = 0
  package var unknownStoredFixes = 0
  /// By (phone, sequence).
  package var acknowledgedMissing: [BatchID] = []
  /// The fixes in those; nil: not known, since phones forget what was acknowledged.
  package var missingFixes: Int?

  package init() {}

  /// Asks for what the phones of a fleet sent.
  ///
  /// - Parameters:
  ///   - restored: the newest sequence of each phone that the server was told before the run;
  ///     those are no part of it. In the order of the fleet's phones.
  ///   - stored: whether the server holds a batch.
  package init(_ fleet: PhoneFleet, restored: [UInt32], stored: (BatchID) -> Bool) {
    expectedHash = fleet.metrics().acknowledgedHash
    var proof = self
    fleet.inOrder { shard in
      shard.unanswered { id, hash, fixes in
        guard stored(id) else { return }
        proof.expectedHash &+= hash
        proof.unknownStored += 1
        proof.unknownStoredFixes += fixes
      }
      shard.acknowledged { newest in
        let before = restored[Int(newest.phone.rawValue) - fleet.phones.lowerBound]
        guard before < newest.sequence else { return }
        for number in (before + 1)...newest.sequence {
          let id = BatchID(phone: newest.phone, epoch: newest.epoch, sequence: number)
          if !stored(id) { proof.acknowledgedMissing.append(id) }
        }
      }
    }
    self = proof
  }

  /// Adds what was shown of the phones that follow.
  package mutating func merge(_ other: BatchProof) {
    expectedHash &+= other.expectedHash
    unknownStored += other.unknownStored
    unknownStoredFixes += other.unknownStoredFixes
    acknowledgedMissing += other.acknowledgedMissing
    missingFixes = missingFixes.flatMap { mine in other.missingFixes.map { mine + $0 } }
  }
}
