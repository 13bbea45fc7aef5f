internal import Collector
package import Core
package import Figures
internal import ServerLogic
internal import Wire

package struct ServerAccount: Codable, Equatable, Sendable {
  /// The server's ledger, whose phones' side is empty.
  package var ledger = Ledger()
  /// The sum modulo 2^64 of `BatchHash` over the distinct batches.
  package var hashSum: UInt64 = 0
  /// Whether the server answered in process. If so, no answer was lost, and both sides' counts must
  /// agree. Otherwise phones may have given up batches that the server has.
  package var isInProcess = false
  package var wake = WakeAccount()

  /// The clock offsets of phones, as the server observed them; nil if unknown.
  package var clocks: ClockOffsets?
  /// The connections refused for lack of file descriptors; nil if unknown.
  package var refusedForDescriptors: Int?
  /// The number of fixes in the server's store; nil if the store was not read.
  var storedFixes: Int?
  /// Why the server could not be verified although it was running; nil if it was verified.
  var unverified: String?
  /// The requests of a user's sender; nil if there is none.
  package var sender: SenderFigures?

  package mutating func merge(_ other: ServerAccount) {
    ledger.merge(other.ledger)
    hashSum &+= other.hashSum
    isInProcess = isInProcess && other.isInProcess
    wake.merge(other.wake)
    sender = sender ?? other.sender
    if let theirs = other.refusedForDescriptors {
      refusedForDescriptors = (refusedForDescriptors ?? 0) + theirs
    }
    unverified = unverified ?? other.unverified
    if let theirs = other.clocks {
      clocks = clocks ?? ClockOffsets()
      clocks?.merge(theirs)
    }
  }
}

extension ServerAccount {
  init(_ backend: Backend) {
    ledger.fixes.add(backend.ledger.fixes)
    ledger.batches.add(backend.ledger.batches)
    hashSum = backend.ledger.hashSum
    isInProcess = true
    wake = WakeAccount(backend)
    clocks = backend.clocks()
  }

  init(_ snapshot: SnapshotReply) {
    Self.fill(&ledger.fixes, snapshot.fixes)
    Self.fill(&ledger.batches, snapshot.batches)
    hashSum = snapshot.hashSum
    clocks = ClockOffsets(snapshot.sheet)
    refusedForDescriptors = snapshot.limitHits("descriptors")
  }

  /// Creates the account of collectors on one store. Each collector knows all distinct batches, but
  /// only the repeated and rejected batches that it received itself.
  init(_ proof: CollectorProof) {
    self.init(proof.snapshot)
    if let store = proof.store, store.dropped == 0, proof.isOfOneMoment {
      storedFixes = Int(clamping: store.fixes)
    }
    for other in proof.others {
      Self.add(&ledger.fixes, other.fixes)
      Self.add(&ledger.batches, other.batches)
      refusedForDescriptors =
        (refusedForDescriptors ?? 0) + other.limitHits("descriptors")
    }
  }

  private static func fill(_ account: inout Account, _ side: LedgerSide) {
    account.received = Int(side.distinct)
    account.distinct = Int(side.distinct)
    add(&account, side)
  }

  private static func add(_ account: inout Account, _ side: LedgerSide) {
    account.received += Int(side.received) - Int(side.distinct)
    account.duplicate += Int(side.duplicate)
    for reason in side.rejected where reason.value > 0 {
      account.reject(Int(reason.value), reason: reason.name)
    }
  }
}

extension Account {
  fileprivate mutating func add(_ server: CollectorLedger.Column) {
    received += Int(server.received)
    distinct += Int(server.distinct)
    duplicate += Int(server.duplicate)
    for reason in Rejection.allCases where server.rejected[Int(reason.rawValue)] > 0 {
      reject(Int(server.rejected[Int(reason.rawValue)]), reason: "\(reason)")
    }
  }
}
