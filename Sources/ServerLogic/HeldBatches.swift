internal import Telemetry

/// Which batches are held beside the one growing run that each phone's row keeps.
///
/// A phone sends one batch at a time in order, so the row's run nearly always grows by one from 1.
/// What is left over comes here: where a run begins else, runs of earlier installations, and runs
/// before or after a gap that a refused batch left. Memory is proportional to the gaps, not to the
/// batches.
struct HeldBatches: Sendable {
  private struct Installation: Hashable {
    var phone: PhoneID
    var epoch: UInt32
  }
  private var spilled: [Installation: [SequenceRun]] = [:]
  /// Where the runs in rows begin that do not begin at 1.
  private var lows: [PhoneID: UInt32] = [:]

  func holds(_ id: BatchID, row: GrowingRun) -> Bool {
    if id.epoch == row.epoch, id.sequence <= row.high, id.sequence >= low(id.phone) { return true }
    if spilled.isEmpty { return false }
    let runs = spilled[Installation(phone: id.phone, epoch: id.epoch)]
    return runs?.contains { $0.contains(id.sequence) } ?? false
  }

  /// The run of a row, with its begin.
  func run(of phone: PhoneID, row: GrowingRun) -> SequenceRun {
    row.isEmpty ? SequenceRun() : SequenceRun(epoch: row.epoch, low: low(phone), high: row.high)
  }

  /// A row's run as it was elsewhere.
  mutating func restore(_ run: SequenceRun, of phone: PhoneID, row: inout GrowingRun) {
    row = run.isEmpty ? GrowingRun() : GrowingRun(epoch: run.epoch, high: run.high)
    lows[phone] = run.isEmpty || run.low == 1 ? nil : run.low
  }

  /// Precondition: not held yet.
  mutating func insert(_ id: BatchID, row: inout GrowingRun) {
    if id.epoch == row.epoch, !row.isEmpty, id.sequence == row.high &+ 1 {
      row.high = id.sequence
      return
    }
    let alone = SequenceRun(epoch: id.epoch, low: id.sequence, high: id.sequence)
    if row.isEmpty {
      restore(alone, of: id.phone, row: &row)
    } else if id.epoch > row.epoch || (id.epoch == row.epoch && id.sequence > row.high) {
      spill(run(of: id.phone, row: row), of: id.phone)
      restore(alone, of: id.phone, row: &row)
    } else {
      spill(alone, of: id.phone)
    }
  }

  /// Everything that is not in a row, by phone.
  var runsByPhone: [PhoneID: [SequenceRun]] {
    var byPhone: [PhoneID: [SequenceRun]] = [:]
    for (installation, runs) in spilled { byPhone[installation.phone, default: []] += runs }
    return byPhone
  }

  private func low(_ phone: PhoneID) -> UInt32 { lows.isEmpty ? 1 : lows[phone] ?? 1 }

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
