package import Telemetry
internal import Tracker

/// What the phones of a killed fleet had on disk, as their journal tells it.
package struct OutboxRecord {
  /// The newest sequence of a phone that was ever submitted, by phone.
  package var highest: [PhoneID: UInt32]
  /// The newest fix of a phone that is in a submitted batch, by phone.
  package var newest: [PhoneID: FixTime]
  /// What phones sent in the meantime while they lived it again, by phone: it has reached nobody.
  var relived: [PhoneID: [(sequence: UInt32, fixes: [Fix])]] = [:]

  package init(highest: [PhoneID: UInt32], newest: [PhoneID: FixTime]) {
    self.highest = highest
    self.newest = newest
  }

  /// A phone that lives the time again has cut a batch and sent it to nobody.
  package mutating func note(_ id: BatchID, _ fixes: UnsafeBufferPointer<Fix>) {
    let late = fixes.filter { $0.time > newest[id.phone] ?? .distantPast }
    if !late.isEmpty { relived[id.phone, default: []].append((id.sequence, late)) }
  }
}

extension FixTime {
  fileprivate static let distantPast = FixTime(centiseconds: .min)
}

extension Shard {
  /// Gives each phone the outbox that it would have, had its fleet not been killed: every fix that
  /// is newer than those in its submitted batches. Those batches are sent again by themselves.
  ///
  /// - Parameter known: the newest sequence that the server was told of a phone before the run.
  package mutating func restoreOutboxes(_ record: OutboxRecord, known: (PhoneID) -> UInt32) {
    // The tracker counts its outbox in sixteen bits.
    let most = 60_000
    for i in 0..<count {
      let id = phones[i].id
      let newest = record.newest[id] ?? .distantPast
      let tracker = phones[i].tracker
      var fixes: [Fix] = []
      for batch in record.relived[id] ?? []
      // Arrived, but not yet answered: these fixes are in the outbox, too.
      where tracker.cutCount == 0 || batch.sequence != tracker.lastSequence {
        fixes += batch.fixes
      }
      pool.forEach(first: Int(phones[i].outbox.count), of: phones[i].outbox) { fix in
        if fix.time > newest { fixes.append(fix) }
      }
      pool.dropFirst(Int(phones[i].outbox.count), from: &phones[i].outbox)
      for fix in fixes.suffix(most) { pool.append(fix, to: &phones[i].outbox) }
      let sequence = max(record.highest[id] ?? 0, known(id))
      phones[i].tracker.restore(lastSequence: sequence, outbox: min(fixes.count, most))
      phones[i].upload.lastCut = sequence
    }
  }
}
