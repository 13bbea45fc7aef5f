internal import Telemetry

/// The collector's side of the ledger, for batches and for fixes:
/// `received = distinct + duplicate + rejected(reason)`.
///
/// `received` is counted by itself, so that the identity can fail.
package struct CollectorLedger: Equatable, Sendable {
  /// Counts batches, or fixes, by what became of them.
  package struct Column: Equatable, Sendable {
    /// Counts all that arrived, repeated deliveries included.
    package var received: UInt64 = 0
    /// Counts what was stored when it first arrived.
    package var distinct: UInt64 = 0
    /// Counts what arrived again after it had been stored.
    package var duplicate: UInt64 = 0
    /// By `Rejection.rawValue`.
    package var rejected = [UInt64](repeating: 0, count: Rejection.allCases.count)

    /// Makes a column at zero.
    package init() {}

    /// Sums the refused over all reasons.
    package var rejectedInAll: UInt64 { rejected.reduce(0, +) }
    /// Is true where received = distinct + duplicate + rejected.
    package var isExact: Bool { received == distinct + duplicate + rejectedInAll }
  }
  /// Counts the batches.
  package var batches = Column()
  /// Counts the fixes of these batches.
  package var fixes = Column()
  /// Sum modulo 2^64 of the hashes of the distinct batches.
  package var hashSum: UInt64 = 0

  /// Makes a ledger at zero.
  package init() {}

  /// Is true where the identity holds for batches and for fixes.
  package var isExact: Bool { batches.isExact && fixes.isExact }

  mutating func addDistinct(_ digest: BatchDigest) {
    batches.received += 1
    batches.distinct += 1
    fixes.received += UInt64(digest.fixCount)
    fixes.distinct += UInt64(digest.fixCount)
    hashSum &+= digest.hash.value
  }

  /// Counts a batch as if it came now, by its hash and its number of fixes.
  mutating func carry(hash: UInt64, fixes count: Int) {
    batches.received += 1
    batches.distinct += 1
    fixes.received += UInt64(count)
    fixes.distinct += UInt64(count)
    hashSum &+= hash
  }

  mutating func addDuplicate(fixes count: Int) {
    batches.received += 1
    batches.duplicate += 1
    fixes.received += UInt64(count)
    fixes.duplicate += UInt64(count)
  }

  mutating func addRejected(_ reason: Rejection, fixes count: Int) {
    batches.received += 1
    batches.rejected[Int(reason.rawValue)] += 1
    fixes.received += UInt64(count)
    fixes.rejected[Int(reason.rawValue)] += UInt64(count)
  }
}
