internal import Telemetry
internal import Wire

/// Holds a collector's counters after the drain, and which batches its store holds.
struct CollectorProof {
  var snapshot: SnapshotReply
  var held: [PhoneID: [HoldingsReply.Row]]
  /// Holds the counters of the others on the same store.
  var others: [SnapshotReply] = []

  func holds(_ id: BatchID) -> Bool {
    (held[id.phone] ?? []).contains { $0.epoch == id.epoch && $0.holds(id.sequence) }
  }

  /// Counts the occasions on which silent phones could not be pushed, and how many of them were
  /// answered.
  var unreachable: WakeAccount.UnreachableSum {
    // Each counts those of its own sweeps.
    let all = [snapshot] + others
    return .init(
      eligible: all.reduce(0) { $0 + Int($1.pushes(.unreachableEligible)) },
      answered: all.reduce(0) { $0 + Int($1.pushes(.unreachableAnswered)) })
  }
}

extension HoldingsReply.Row {
  fileprivate func holds(_ sequence: UInt32) -> Bool {
    (first <= sequence && sequence <= contiguous) || extra.contains(sequence)
  }
}
