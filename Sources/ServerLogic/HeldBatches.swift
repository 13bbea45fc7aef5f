internal import Telemetry

/// Which batches are held beside the one growing run that each phone's row keeps.
///
/// A phone sends one batch at a time in order, so the row's run nearly always grows by one. What
/// is left over comes here: runs of earlier installations, and runs before or after a gap that a
/// refused batch left. Memory is proportional to the gaps, not to the batches.
struct HeldBatches: Sendable {
  private struct Installation: Hashable {
    var phone: PhoneID
    var epoch: UInt32
  }
  private var spilled: [Installation: [SequenceRun]] = [:]

  func holds(_ id: BatchID, row: SequenceRun) -> Bool {
    if id.epoch == row.epoch && row.contains(id.sequence) { return true }
    if spilled.isEmpty { return false }
    let runs = spilled[Installation(phone: id.phone, epoch: id.epoch)]
    return runs?.contains { $0.contains(id.sequence) } ?? false
  }

  /// Precondition: not held yet.
  mutating func insert(_ id: BatchID, row: inout SequenceRun) {
    if row.isEmpty {
      row = SequenceRun(epoch: id.epoch, low: id.sequence, high: id.sequence)
    } else if id.epoch == row.epoch, id.sequence == row.high &+ 1 {
      row.high = id.sequence
    } else if id.epoch > row.epoch || (id.epoch == row.epoch && id.sequence > row.high) {
      spill(row, of: id.phone)
      row = SequenceRun(epoch: id.epoch, low: id.sequence, high: id.sequence)
    } else {
      spill(
        SequenceRun(epoch: id.epoch, low: id.sequence, high: id.sequence), of: id.phone)
    }
  }

  /// Everything that is not in a row, by phone.
  var runsByPhone: [PhoneID: [SequenceRun]] {
    var byPhone: [PhoneID: [SequenceRun]] = [:]
    for (installation, runs) in spilled { byPhone[installation.phone, default: []] += runs }
    return byPhone
  }

  private mutating func spill(_ run: SequenceRun, of phone: PhoneID) {
    let key = Installation(phone: phone, epoch: run.epoch)
    var runs = spilled[key] ?? []
    runs.append(run)
    runs.sort { $0.low < $1.low }
    var merged: [SequenceRun] = []
    for run in runs {
      if let last = merged.last, run.low <= last.high &+ 1 {
        merged[merged.count - 1].high = max(last.high, run.high)
      } else {
        merged.append(run)
      }
    }
    spilled[key] = merged
  }
}
