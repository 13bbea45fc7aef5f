internal import Core

/// The stored batches that the phones' rows cannot represent: starts of the rows' runs other than
/// 1, runs of earlier installations, and runs before gaps. The memory is proportional to the number
/// of gaps. A phone has at most `runsMax` runs.
struct StoredBatches: Sendable {
  /// The most runs of one phone outside its row. Each reinstallation and each permanently refused
  /// batch makes one run. A million forged clients that send the numbers 2, 4, 6, … cost at most
  /// 250 MB. Beyond the limit the oldest run is forgotten, and numbers up to its end are refused
  /// (as in RFC 4303, section 3.4.3).
  static let runsMax = 16

  private var spilled: [PhoneID: Spill] = [:]
  private var lows: [PhoneID: UInt32] = [:]
  private(set) var forgotten: UInt64 = 0

  func holds(_ id: BatchID, row: GrowingRun) -> Bool {
    if id.epoch == row.epoch, id.sequence <= row.high, id.sequence >= low(id.phone) { return true }
    return spilled.isEmpty ? false : spilled[id.phone]?.holds(id) ?? false
  }

  func hasForgotten(_ id: BatchID) -> Bool {
    forgotten == 0 ? false : spilled[id.phone]?.hasForgotten(id) ?? false
  }

  func run(of phone: PhoneID, row: GrowingRun) -> SequenceRun {
    row.isEmpty ? SequenceRun() : SequenceRun(epoch: row.epoch, low: low(phone), high: row.high)
  }

  mutating func restore(_ run: SequenceRun, of phone: PhoneID, row: inout GrowingRun) {
    guard !run.isEmpty else { return }
    let own = self.run(of: phone, row: row)
    set(run, of: phone, row: &row)
    guard !own.isEmpty else { return }
    if (own.epoch, own.high) > (run.epoch, run.high) {
      set(own, of: phone, row: &row)
      spill(run, of: phone)
    } else {
      spill(own, of: phone)
    }
    absorb(phone, row: &row)
  }

  /// Adds a batch, which must not be stored yet.
  mutating func insert(_ id: BatchID, row: inout GrowingRun) {
    if id.epoch == row.epoch, !row.isEmpty, id.sequence == row.high &+ 1 {
      row.high = id.sequence
      return
    }
    let alone = SequenceRun(epoch: id.epoch, low: id.sequence, high: id.sequence)
    if row.isEmpty {
      set(alone, of: id.phone, row: &row)
    } else if (id.epoch, id.sequence) > (row.epoch, row.high) {
      spill(run(of: id.phone, row: row), of: id.phone)
      set(alone, of: id.phone, row: &row)
    } else {
      spill(alone, of: id.phone)
    }
    absorb(id.phone, row: &row)
  }

  /// All runs outside the rows, by phone. All numbers up to the end of a forgotten run count as
  /// stored. The check for lost batches asks only for acknowledged batches, which are stored.
  var runsByPhone: [PhoneID: [SequenceRun]] { spilled.mapValues(\.runsWithForgotten) }

  var leftovers: [RunsBesideRow] {
    Set(spilled.keys).union(lows.keys).sorted().map { phone in
      var beside = RunsBesideRow(phone: phone, low: lows[phone] ?? 1)
      if let spill = spilled[phone] {
        beside.runs = spill.runs
        beside.forgottenEpoch = spill.horizon.epoch
        beside.forgottenUntil = spill.horizon.sequence
      }
      return beside
    }
  }

  init(_ leftovers: [RunsBesideRow], forgotten: UInt64) {
    self.forgotten = forgotten
    for beside in leftovers {
      if beside.low != 1 { lows[beside.phone] = beside.low }
      let spill = Spill(
        runs: beside.runs, horizon: (beside.forgottenEpoch, beside.forgottenUntil))
      if !spill.isEmpty { spilled[beside.phone] = spill }
    }
  }

  init() {}

  private func low(_ phone: PhoneID) -> UInt32 { lows.isEmpty ? 1 : lows[phone] ?? 1 }

  private mutating func set(_ run: SequenceRun, of phone: PhoneID, row: inout GrowingRun) {
    row = GrowingRun(epoch: run.epoch, high: run.high)
    lows[phone] = run.low == 1 ? nil : run.low
  }

  private mutating func spill(_ run: SequenceRun, of phone: PhoneID) {
    if spilled[phone, default: Spill()].insert(run, atMost: Self.runsMax) { forgotten += 1 }
  }

  private mutating func absorb(_ phone: PhoneID, row: inout GrowingRun) {
    guard !spilled.isEmpty, var spill = spilled[phone] else { return }
    var run = run(of: phone, row: row)
    while let last = spill.runs.last, last.epoch == run.epoch, last.high &+ 1 >= run.low {
      run.low = min(run.low, last.low)
      spill.runs.removeLast()
    }
    set(run, of: phone, row: &row)
    spilled[phone] = spill.isEmpty ? nil : spill
  }
}

private struct Spill: Sendable {
  var runs: [SequenceRun] = []
  /// The last forgotten batch, or (0, 0) without one. All earlier batches are forgotten, too.
  var horizon: (epoch: UInt32, sequence: UInt32) = (0, 0)

  var isEmpty: Bool { runs.isEmpty && horizon == (0, 0) }

  var runsWithForgotten: [SequenceRun] {
    guard horizon.sequence > 0 else { return runs }
    return [SequenceRun(epoch: horizon.epoch, low: 1, high: horizon.sequence)] + runs
  }

  func holds(_ id: BatchID) -> Bool {
    let next = runs.firstIndex { (id.epoch, id.sequence) <= ($0.epoch, $0.high) }
    return next.map { runs[$0].epoch == id.epoch && runs[$0].contains(id.sequence) } ?? false
  }

  func hasForgotten(_ id: BatchID) -> Bool { (id.epoch, id.sequence) <= horizon }

  /// Adds a run and joins it with adjacent runs. Returns true if the oldest run was dropped.
  mutating func insert(_ run: SequenceRun, atMost limit: Int) -> Bool {
    // The run was in flight while the horizon passed it, so it is already forgotten.
    guard (run.epoch, run.high) > horizon else { return false }
    var joined = run
    var first = runs.firstIndex { ($0.epoch, $0.high) >= (run.epoch, run.low) } ?? runs.count
    if first > 0, runs[first - 1].epoch == run.epoch, runs[first - 1].high &+ 1 == run.low {
      first -= 1
    }
    var end = first
    while end < runs.count, runs[end].epoch == run.epoch, runs[end].low <= joined.high &+ 1 {
      joined.low = min(joined.low, runs[end].low)
      joined.high = max(joined.high, runs[end].high)
      end += 1
    }
    runs.replaceSubrange(first..<end, with: CollectionOfOne(joined))
    guard runs.count > limit else { return false }
    let oldest = runs.removeFirst()
    horizon = (oldest.epoch, oldest.high)
    return true
  }
}
