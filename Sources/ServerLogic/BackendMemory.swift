package import Core

/// A server's state without its counts. A server that restores the state answers and pushes like
/// the original. The scheduler's calendar is derived from the rows.
package struct BackendMemory: Sendable {
  package var rows: [LastSeen]
  package var leftovers: [RunsBesideRow]
  package var forgotten: UInt64

  package init(rows: [LastSeen], leftovers: [RunsBesideRow], forgotten: UInt64) {
    self.rows = rows
    self.leftovers = leftovers
    self.forgotten = forgotten
  }
}

/// The batches of one phone that its row cannot represent.
package struct RunsBesideRow: Equatable, Sendable {
  package var phone: PhoneID
  package var low: UInt32
  /// The runs of batch numbers outside the row, ascending by epoch and number.
  package var runs: [SequenceRun] = []
  /// The epoch of `forgottenUntil`, or 0 if nothing is forgotten.
  package var forgottenEpoch: UInt32 = 0
  package var forgottenUntil: UInt32 = 0

  package init(phone: PhoneID, low: UInt32) {
    self.phone = phone
    self.low = low
  }
}

extension Backend {
  package var memory: BackendMemory {
    BackendMemory(rows: table, leftovers: batches.leftovers, forgotten: batches.forgotten)
  }

  /// Continues at `now` from another server's state, with all counts at zero. The other server
  /// pushed by the settings `before`, and this server pushes by its own.
  package mutating func takeUp(
    _ memory: BackendMemory, terms before: PushTerms, at now: SimInstant
  ) {
    precondition(memory.rows.count == phones, "a row for each phone")
    table = memory.rows
    batches = StoredBatches(memory.leftovers, forgotten: memory.forgotten)
    let last = UInt32(clamping: WakeCalendar.number(of: now, before.sweep))
    for index in table.indices {
      table[index].chosenSweep = min(table[index].chosenSweep, last)
      table[index][.isScheduled] = false
      table[index][.isWaiting] = false
      if before.sweep != settings.sweep, table[index].chosenSweep > 0 {
        // Sweep numbers depend on the interval between sweeps.
        let chosen = SimInstant(
          microseconds: Int64(table[index].chosenSweep) * before.sweep.microseconds)
        table[index].chosenSweep = UInt32(
          clamping: WakeCalendar.firstSweep(from: chosen, settings.sweep))
      }
    }
    for index in table.indices where table[index].isKnown {
      schedule(PhoneID(rawValue: UInt32(index)), at: now)
    }
  }

  /// Counts a batch that was stored before the counting began and is not yet acknowledged. When the
  /// acknowledgement arrives, the phone counts the batch, too.
  package mutating func carry(hash: UInt64, fixes count: Int) {
    ledger.carry(hash: hash, fixes: count)
  }
}
