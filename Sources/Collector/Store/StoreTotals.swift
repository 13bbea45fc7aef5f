internal import SimulationCore
internal import Telemetry

/// What all rows of `batches` come to: written in the transaction that adds them, so that a row
/// that vanished, was added or was altered since then is seen.
package struct StoreTotals: Equatable, Sendable, BitwiseCopyable {
  /// Counts the batches.
  package var batches: UInt64 = 0
  /// Counts the fixes in them.
  package var fixes: UInt64 = 0
  /// Sum modulo 2^64 of the hashes: that of the ledger, if both sides hold the same set.
  package var hashSum: UInt64 = 0
  /// A chain over the rows in their order. It covers what a batch's own hash does not: the order,
  /// and when each batch came.
  package var chain: UInt64 = 0

  /// Makes the totals of an empty store.
  package init() {}

  /// Adds the next batch; the order matters to the chain.
  package mutating func add(_ batch: StoredBatch) {
    batches += 1
    fixes += UInt64(batch.fixCount)
    hashSum &+= batch.hash
    // One round a word, as in `BatchHash`: words that share one could make up for each other.
    chain = Draw.mix(chain ^ batch.hash)
    chain = Draw.mix(chain ^ UInt64(bitPattern: batch.receivedAt.microseconds))
    chain = Draw.mix(chain ^ UInt64(bitPattern: batch.receivedAtWall.microseconds))
  }
}
