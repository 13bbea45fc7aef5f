package import Figures
internal import ServerLogic
internal import Wire

/// Holds what a run's server, a collector or the backend of a simulation, reports of what it
/// received once nothing is in flight.
package struct ServerAccount: Codable, Equatable, Sendable {
  /// Is the server's side of the ledger; the phones' side is empty.
  package var ledger = Ledger()
  /// Is the sum modulo 2^64 of `BatchHash` over the distinct batches.
  package var hashSum: UInt64 = 0
  /// Is true where the server answered in process: no answer was lost, and the counts of both sides
  /// must agree. Otherwise phones may have given up batches that the server holds.
  package var isInProcess = false
  /// Holds the pushes that the server requested from its phones.
  package var wake = WakeAccount()

  /// Holds what it saw of its phones' clocks; nil: it did not say.
  package var clocks: ClockOffsets?
  /// Counts the connections that it refused since it could open no more files; nil: it did not say.
  package var refusedForDescriptors: Int?
  /// Counts the fixes that its store was found to hold when it was read; nil: it was not read.
  var storedFixes: Int?
  /// The reason why it could not be asked what it holds, although it was there; nil: it was asked.
  var unverified: String?
  /// Says what a sender of the user's own asked of the run's push endpoint; nil: it has none here.
  package var sender: SenderFigures?

  /// Makes the account of a server that received nothing.
  package init() {}

  /// Adds what another server, or the backend of another range of phones, received.
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
  /// Makes the account of a backend in process.
  init(_ backend: Backend) {
    ledger.fixes.add(backend.ledger.fixes)
    ledger.batches.add(backend.ledger.batches)
    hashSum = backend.ledger.hashSum
    isInProcess = true
    wake = WakeAccount(backend)
    clocks = backend.clocks()
  }

  /// Makes the account of a collector from its snapshot.
  init(_ snapshot: SnapshotReply) {
    Self.fill(&ledger.fixes, snapshot.fixes)
    Self.fill(&ledger.batches, snapshot.batches)
    hashSum = snapshot.hashSum
    clocks = ClockOffsets(snapshot.sheet)
    refusedForDescriptors = snapshot.limitHits("descriptors")
  }

  /// Makes the account of collectors on one store: each of them knows of all distinct batches, and
  /// of those repeated and rejected ones that it met itself.
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
  /// Adds the collector's side.
  fileprivate mutating func add(_ server: CollectorLedger.Column) {
    received += Int(server.received)
    distinct += Int(server.distinct)
    duplicate += Int(server.duplicate)
    for reason in Rejection.allCases where server.rejected[Int(reason.rawValue)] > 0 {
      reject(Int(server.rejected[Int(reason.rawValue)]), reason: "\(reason)")
    }
  }
}
