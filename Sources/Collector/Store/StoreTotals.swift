internal import SimulationCore
internal import Telemetry

/// Sums all rows of `batches`. It is written in the transaction that adds them, so that a row that
/// vanished, was added or was altered since then is detected.
package struct StoreTotals: Equatable, Sendable, BitwiseCopyable {
  /// Counts the batches.
  package var batches: UInt64 = 0
  /// Counts the fixes in them.
  package var fixes: UInt64 = 0
  /// Is the sum modulo 2^64 of the hashes, which equals the ledger's where both sides hold the same
  /// set.
  package var hashSum: UInt64 = 0
  /// Chains the rows in their order. It covers what a batch's own hash does not: the order, and
  /// when each batch came. It is nil in a store whose rows have no order, since several collectors
  /// write it; such a store has sums of its own over the times.
  package var chain: UInt64? = 0

  /// Makes the totals of an empty store.
  package init() {}

  /// Adds the next batch; the order matters to the chain.
  package mutating func add(_ batch: StoredBatch) {
    batches += 1
    fixes += UInt64(batch.fixCount)
    hashSum &+= batch.hash
    // One round per word, as in `BatchHash`: words that share a round could cancel each other out.
    guard var chain else { return }
    chain = Draw.mix(chain ^ batch.hash)
    chain = Draw.mix(chain ^ UInt64(bitPattern: batch.receivedAt.microseconds))
    chain = Draw.mix(chain ^ UInt64(bitPattern: batch.receivedAtWall.microseconds))
    self.chain = chain
  }

  /// Adds a batch of a store without an order.
  mutating func add(fixes: UInt32, hash: UInt64) {
    batches += 1
    self.fixes += UInt64(fixes)
    hashSum &+= hash
  }

  /// Returns what is left when some batches were dropped. The chain is of all that ever came.
  func without(_ dropped: StoreTotals) -> StoreTotals {
    var left = self
    left.batches &-= dropped.batches
    left.fixes &-= dropped.fixes
    left.hashSum &-= dropped.hashSum
    return left
  }

  /// Is true where the rows that were found are those that were committed, as far as the store sums
  /// them.
  func agrees(with found: StoreTotals) -> Bool {
    batches == found.batches && fixes == found.fixes && hashSum == found.hashSum
      && (chain == nil || chain == found.chain)
  }
}

/// Is what a store sums over all that was committed to it, at one moment.
package struct StoreSums: Sendable {
  /// Are the totals of all committed batches.
  package var committed = StoreTotals()
  /// Are the totals of those of them that retention took.
  package var dropped = StoreTotals()
}
