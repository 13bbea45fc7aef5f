internal import Core
internal import Dispatch
internal import ServerLogic
internal import Synchronization
internal import Wire

/// Reads the store again for clients that verify it, since rows may have been deleted or damaged.
/// All clients share one reading until the next commit. A separate queue reads.
final class StoreInspection {
  struct Moment: Equatable, Sendable {
    var run: String
    var batches: UInt64
    var hashSum: UInt64

    init(of run: OpenedRun) {
      let ledger = run.backend.ledger
      (self.run, batches, hashSum) = (run.id, ledger.batches.distinct, ledger.hashSum)
    }
  }

  private let store: any StoreSource & CommitTarget
  private let dictionary: PayloadDictionary?
  private let queue = DispatchQueue(label: "flotilla.store.inspection", qos: .utility)
  private let freshFor: WallDuration
  private var reading: Reading?

  init(_ store: any StoreSource & CommitTarget, _ configuration: CollectorConfiguration) {
    self.store = store
    dictionary = configuration.dictionary
    freshFor = configuration.readingFreshFor
  }

  /// Returns a page of the reading, or its progress; throws if the store cannot be read.
  func answer(
    _ request: HoldingsRequest, at moment: Moment, now: WallInstant
  ) throws(StoreError) -> HoldingsReply {
    let isFirst = request.phone.rawValue == 0 && request.epoch == 0
    let reading = current(at: moment, isFirst: isFirst, now: now)
    switch reading.state.withLock({ $0 }) {
    case .underWay(let progress):
      return HoldingsReply(
        rows: [], more: true,
        store: StoreReading(isUnderWay: true, read: progress.done, committed: progress.of))
    case .failed(let error):
      self.reading = nil
      throw error
    case .done(let found):
      if reading.seenAt == nil { reading.seenAt = now }
      var reply = HoldingsReply.page(request) { found.holdings(from: $0, limit: $1) }
      reply.store = found.summary
      return reply
    }
  }

  func cancel() { reading?.isCancelled.withLock { $0 = true } }

  private func current(at moment: Moment, isFirst: Bool, now: WallInstant) -> Reading {
    if let reading, reading.moment == moment {
      let isFresh = reading.seenAt.map { now - $0 < freshFor } ?? true
      if !isFirst || isFresh { return reading }
    }
    cancel()
    let next = Reading(of: moment)
    reading = next
    let (store, dictionary) = (store, dictionary)
    queue.async {
      let result: Reading.State
      do throws(StoreError) {
        result = .done(try next.findings(store, dictionary))
      } catch {
        result = .failed(error)
      }
      next.state.withLock { $0 = result }
    }
    return next
  }
}

/// One reading of the store. `@unchecked Sendable`, since only the loop's thread touches `seenAt`.
private final class Reading: @unchecked Sendable {
  enum State: Sendable {
    case underWay(StoreAudit.Progress)
    case done(Findings)
    case failed(StoreError)
  }

  let moment: StoreInspection.Moment
  let state = Mutex(State.underWay(.init(stage: .structure, done: 0, of: 0)))
  let isCancelled = Mutex(false)
  var seenAt: WallInstant?

  init(of moment: StoreInspection.Moment) { self.moment = moment }

  func findings(
    _ store: any StoreSource & CommitTarget, _ dictionary: PayloadDictionary?
  ) throws(StoreError) -> Findings {
    var findings = Findings()
    let report: AuditReport
    do throws(StoreError) {
      report = try StoreAudit.run(
        named: store.name, dictionary: dictionary, grows: true,
        progress: { progress in
          state.withLock { $0 = .underWay(progress) }
          return !isCancelled.withLock { $0 }
        },
        visit: { findings.take($0) },
        { () throws(StoreError) in try store.onDisk() })
    } catch {
      guard !error.isOfAccess else { throw error }
      findings.summary.faults = [error.description]
      findings.summary.faultCount = 1
      return findings
    }
    findings.finish(report)
    return findings
  }
}

private struct Findings: Sendable {
  var summary = StoreReading()
  private var runs: [PhoneID: [SequenceRun]] = [:]
  private var phones: [PhoneID] = []

  mutating func take(_ batch: StoredBatch) {
    summary.fixes += UInt64(batch.fixCount)
    summary.hashSum &+= batch.hash
    runs[batch.id.phone, default: []].add(batch.id)
  }

  mutating func finish(_ report: AuditReport) {
    summary.read = report.found.batches
    summary.committed = report.committed.batches
    summary.dropped = report.dropped.batches
    summary.faults = report.findings.prefix(StoreReading.faultsMax).map(\.description)
    summary.faultCount = UInt64(report.findingsInAll)
    phones = runs.keys.sorted()
    for phone in phones { runs[phone]?.join() }
  }

  func holdings(from first: PhoneID, limit: Int) -> [Holding] {
    var (low, high) = (0, phones.count)
    while low < high {
      let middle = (low + high) / 2
      if phones[middle] < first { low = middle + 1 } else { high = middle }
    }
    return phones[low...].prefix(limit).map { Holding(phone: $0, runs: runs[$0] ?? []) }
  }
}

extension [SequenceRun] {
  fileprivate mutating func add(_ id: BatchID) {
    if let last, last.epoch == id.epoch, last.high &+ 1 == id.sequence {
      self[count - 1].high = id.sequence
    } else {
      append(SequenceRun(epoch: id.epoch, low: id.sequence, high: id.sequence))
    }
  }

  fileprivate mutating func join() {
    guard count > 1 else { return }
    sort { ($0.epoch, $0.low) < ($1.epoch, $1.low) }
    var joined: [SequenceRun] = []
    for run in self {
      if let last = joined.last, last.epoch == run.epoch, run.low <= last.high &+ 1 {
        joined[joined.count - 1].high = Swift.max(last.high, run.high)
      } else {
        joined.append(run)
      }
    }
    self = joined
  }
}
