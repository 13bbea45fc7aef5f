internal import Collector
internal import Core
internal import Wire

struct CollectorProof {
  var snapshot: SnapshotReply
  var held: [PhoneID: [HoldingsReply.Row]]
  /// The findings of reading the store for `held`; nil if `held` is the collector's memory.
  var store: StoreReading?
  /// Whether no batch was committed between the snapshot and the reading of `held`.
  var isOfOneMoment = true
  var others: [SnapshotReply] = []

  func holds(_ id: BatchID) -> Bool {
    (held[id.phone] ?? []).contains { $0.epoch == id.epoch && $0.holds(id.sequence) }
  }

  /// Returns the faults of the store as sentences; empty also if the store was not read.
  func faults(of name: String) -> [String] {
    guard let store else { return [] }
    var sentences = store.faults.prefix(Self.faultsShown).map { fault in
      "The store of \(name): \(fault)" + (fault.hasSuffix(".") ? "" : ".")
    }
    if store.faultCount > UInt64(sentences.count) {
      let more = store.faultCount - UInt64(sentences.count)
      sentences.append("The store of \(name): \(more) more faults; 'flotilla verify' lists them.")
    }
    let isAsCounted =
      store.hashSum == snapshot.hashSum || store.dropped > 0 || !isOfOneMoment
    if sentences.isEmpty, !isAsCounted {
      sentences.append(
        """
        The store of \(name) does not match what was committed: \(store.read) batches stored, \
        \(snapshot.batches.distinct) committed.
        """)
    }
    return sentences
  }

  private static let faultsShown = 5

  /// The number of occasions of silent, unreachable phones, and how many of them were answered.
  var unreachable: WakeAccount.UnreachableSum {
    // Each collector counts only the occasions in its own sweeps.
    let all = [snapshot] + others
    return .init(
      eligible: all.reduce(0) { $0 + $1.count(.unreachableEligible) },
      answered: all.reduce(0) { $0 + $1.count(.unreachableAnswered) })
  }
}

extension HoldingsReply.Row {
  fileprivate func holds(_ sequence: UInt32) -> Bool {
    (first <= sequence && sequence <= contiguous) || extra.contains(sequence)
  }
}
