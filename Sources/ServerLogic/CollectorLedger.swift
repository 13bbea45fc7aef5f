internal import Core

/// The collector's side of the ledger: `received = distinct + duplicate + rejected(reason)`.
/// `received` is counted separately, so that a violation of the identity is visible.
package struct CollectorLedger: Equatable, Sendable {
  package struct Column: Equatable, Sendable {
    package var received: UInt64 = 0
    package var distinct: UInt64 = 0
    package var duplicate: UInt64 = 0
    package var rejected = [UInt64](repeating: 0, count: Rejection.allCases.count)

    package init() {}

    package var rejectedInAll: UInt64 { rejected.reduce(0, +) }
    package var isExact: Bool { received == distinct + duplicate + rejectedInAll }
  }
  package var batches = Column()
  package var fixes = Column()
  package var hashSum: UInt64 = 0

  package init() {}

  package var isExact: Bool { batches.isExact && fixes.isExact }

  mutating func addDistinct(_ digest: BatchDigest) {
    batches.received += 1
    batches.distinct += 1
    fixes.received += UInt64(digest.fixCount)
    fixes.distinct += UInt64(digest.fixCount)
    hashSum &+= digest.hash.value
  }

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
