// What an installation has on disk, put back after its fleet was killed.

extension TrackerStateMachine {
  /// - Parameters:
  ///   - sequence: the newest number that was ever given to a batch.
  ///   - outbox: fixes that are in no batch.
  package mutating func restore(lastSequence sequence: UInt32, outbox: Int) {
    lastSequence = sequence
    outboxCount = UInt16(clamping: outbox)
    cutCount = 0
  }
}
