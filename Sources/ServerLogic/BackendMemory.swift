package import SimulationCore
package import Telemetry

/// Holds what a server knows and decides by at an instant, without what it has counted: a server
/// that takes it up answers and pushes as the first would have gone on to do.
///
/// The scheduler's calendar is not part of it, since it follows from the rows.
package struct BackendMemory: Sendable {
  /// Holds the row of each phone, in their order.
  package var rows: [LastSeen]
  /// Holds the runs of batches that lie beside the rows, in the order of phones.
  package var leftovers: [RunsBesideRow]
  /// Counts the runs that were forgotten.
  package var forgotten: UInt64

  /// Makes the memory from its parts.
  package init(rows: [LastSeen], leftovers: [RunsBesideRow], forgotten: UInt64) {
    self.rows = rows
    self.leftovers = leftovers
    self.forgotten = forgotten
  }
}

/// Holds the batches of one phone that its row cannot say.
package struct RunsBesideRow: Equatable, Sendable {
  /// Names the phone.
  package var phone: PhoneID
  /// Is where the run in the phone's row begins.
  package var low: UInt32
  /// Holds the other runs, ascending by installation and number.
  package var runs: [SequenceRun] = []
  /// Is the installation up to whose number all is forgotten; 0: none is.
  package var forgottenEpoch: UInt32 = 0
  /// Is the number up to which all is forgotten.
  package var forgottenUntil: UInt32 = 0

  /// Makes what lies beside the row of a phone whose run begins at `low`.
  package init(phone: PhoneID, low: UInt32) {
    self.phone = phone
    self.low = low
  }
}

extension Backend {
  /// Is what the server knows now.
  package var memory: BackendMemory {
    BackendMemory(rows: table, leftovers: batches.leftovers, forgotten: batches.forgotten)
  }

  /// Goes on from what a server knew at `now`; what it counted begins at zero.
  ///
  /// - Parameter before: the terms by which that server pushed. Others hold from `now` on: a phone
  ///   is due by them, and what was learned of it stays.
  package mutating func takeUp(
    _ memory: BackendMemory, terms before: PushTerms, at now: SimInstant
  ) {
    precondition(memory.rows.count == phones, "a row for each phone")
    table = memory.rows
    batches = StoredBatches(memory.leftovers, forgotten: memory.forgotten)
    let last = UInt32(clamping: WakeCalendar.number(of: now, before.sweep))
    for index in table.indices {
      table[index].chosenSweep = min(table[index].chosenSweep, last)
      table[index].isScheduled = false
      table[index].isWaiting = false
      if before.sweep != settings.sweep, table[index].chosenSweep > 0 {
        // Sweeps are numbered by their distance.
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

  /// Counts a batch that the server holds from before its counting began, and whose phone has no
  /// answer yet: the phone counts it when it has.
  package mutating func carry(hash: UInt64, fixes count: Int) {
    ledger.carry(hash: hash, fixes: count)
  }
}
