internal import Core

/// Sums over the rows of `batches`, which each adding transaction writes, to show later changes.
package struct StoreTotals: Equatable, Sendable, BitwiseCopyable {
  package var batches: UInt64 = 0
  package var fixes: UInt64 = 0
  /// The sum of the hashes modulo 2^64, equal to the ledger's if both sides have the same batches.
  package var hashSum: UInt64 = 0
  /// A chain over the rows that covers their order and times of receipt; nil if several collectors
  /// write the store, since rows then have no order, and other sums cover the times.
  package var chain: UInt64? = 0

  package mutating func add(_ batch: StoredBatch) {
    batches += 1
    fixes += UInt64(batch.fixCount)
    hashSum &+= batch.hash
    // Each word has its own round, as in `BatchHash`, since words in one round could cancel out.
    guard var chain else { return }
    chain = Draw.mix(chain ^ batch.hash)
    chain = Draw.mix(chain ^ UInt64(bitPattern: batch.receivedAt.microseconds))
    chain = Draw.mix(chain ^ UInt64(bitPattern: batch.receivedAtWall.microseconds))
    self.chain = chain
  }

  mutating func add(fixes: UInt32, hash: UInt64) {
    batches += 1
    self.fixes += UInt64(fixes)
    hashSum &+= hash
  }

  /// Subtracts dropped batches, except from the chain.
  func without(_ dropped: StoreTotals) -> StoreTotals {
    var left = self
    left.batches &-= dropped.batches
    left.fixes &-= dropped.fixes
    left.hashSum &-= dropped.hashSum
    return left
  }

  /// Returns whether the rows found match these sums, and also the chain unless it is nil.
  func agrees(with found: StoreTotals) -> Bool {
    batches == found.batches && fixes == found.fixes && hashSum == found.hashSum
      && (chain == nil || chain == found.chain)
  }
}

/// A store's sums over all commits up to one moment.
package struct StoreSums: Sendable {
  package var committed = StoreTotals()
  package var dropped = StoreTotals()
}
