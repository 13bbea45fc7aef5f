package import Core
internal import Wire

/// Starts each upload at its intended instant, and owns the queues, timers and connections for
/// `UploadMachine`. `@unchecked Sendable`: the state is touched only on the loop's thread, to which
/// `submit` and `counters` switch.
package final class UploadDispatcher: ClientCarrierOwner, HandshakeObserver, EndOfTurn,
  @unchecked Sendable
{
  let loop: EventLoop
  private let sink: @Sendable (UploadReport) -> Void
  var settings: UploadSettings
  var address: Address
  let metadata: [(key: String, value: [UInt8])]
  let codec = MessageCodec(capacity: 65_536)

  var tally = Sheet()
  var jobs: [UploadMachine] = []
  private var freeJobs: [Int] = []
  private var due = DueHeap<Due>()
  /// The deadlines, about one entry per slot. An entry outlives its job, since few jobs reach their
  /// deadline. A due entry is renewed if the slot has a later job.
  private var deadlines = DueHeap<DeadlineEntry>()
  private var timer: LoopTimer?
  private var report = UploadReport()
  private var isReporting = false
  private var isDraining = false

  var channels: [ChannelState?] = []
  var freeChannels: [Int] = []
  var byPhone: [UInt32: Int] = [:]
  var pool: [Int?] = []
  var waiting = JobLine()
  var nextSource = 0
  let tickets = TLSTickets()
  var capture: CaptureFile?
  private var budget = RetryBudget()

  typealias JobLine = WaitingLine<(slot: Int, generation: UInt32)>

  /// The start or retry of a job. The entry is stale once the job's generation has changed.
  private struct Due: BitwiseCopyable {
    enum Kind: BitwiseCopyable { case start, retry }
    let kind: Kind
    let slot: Int32
    let generation: UInt32
  }

  private struct DeadlineEntry: BitwiseCopyable {
    let slot: Int
    let at: WallInstant
  }

  /// - Parameter sink: called on the loop's thread, at most once per turn.
  package init(
    loop: EventLoop, settings: UploadSettings, sink: @escaping @Sendable (UploadReport) -> Void
  ) throws(TransportError) {
    self.loop = loop
    self.settings = settings
    self.sink = sink
    address = try Address(settings.endpoint)
    metadata = settings.token.map { [("authorization", Array("Bearer \($0)".utf8))] } ?? []
    if case .pooled(let count) = settings.use {
      precondition(count > 0, "pooled(n) needs at least one connection (is \(count))")
      pool = Array(repeating: nil, count: count)
    }
  }

  /// Adds jobs, preferably ahead of their intended instants. Any thread may call `submit`.
  package func submit(_ batch: [UploadJob]) {
    guard !batch.isEmpty else { return }
    loop.post { [self] in accept(batch) }
  }

  package func counters() -> Sheet {
    loop.sync { [self] in
      for index in channels.indices { countBytes(index) }
      return tally
    }
  }

  package func capture(to file: CaptureFile) { loop.post { [self] in capture = file } }

  /// Lets the dispatcher wake `Waiter.shared` whenever no upload is left.
  package func drain() { loop.post { [self] in isDraining = true } }

  package func abort() {
    loop.post { [self] in
      for slot in jobs.indices where jobs[slot].isLive {
        if jobs[slot].phase == .scheduled { tally[.scheduled] -= 1 } else { tally[.inFlight] -= 1 }
        leave(slot, cancelling: true)
        finish(slot, .timedOut, at: loop.now)
      }
      closeAllChannels()
    }
  }

  // MARK: time

  private func accept(_ batch: [UploadJob]) {
    loop.assertOnLoop()
    tally[.submitted] += batch.count
    tally[.scheduled] += batch.count
    var started = 0
    for job in batch {
      let slot = freeJobs.popLast() ?? jobs.count
      if slot == jobs.count {
        jobs.append(UploadMachine(job))
      } else {
        jobs[slot].begin(job)
      }
      // A due job starts at once, without heap and alarm, while the turn is not full.
      let now = loop.now
      if started < Self.workPerTurn, due.isEmpty, job.intended <= now {
        start(slot, at: now)
        started += 1
      } else {
        push(.start, slot, at: job.intended)
      }
    }
    run()
  }

  private func push(_ kind: Due.Kind, _ slot: Int, at instant: WallInstant) {
    due.push(
      Due(kind: kind, slot: Int32(slot), generation: jobs[slot].generation), at: instant)
  }

  /// The limit of starts and deadlines per turn, so an overloaded generator still reads answers.
  private static let workPerTurn = 64

  private func run() {
    loop.assertOnLoop()
    for _ in 0..<Self.workPerTurn {
      // One clock read serves a start and its first attempt.
      let now = loop.now
      guard let item = due.pop(at: now) else { break }
      let slot = Int(item.slot)
      guard jobs[slot].generation == item.generation, jobs[slot].isLive else { continue }
      switch item.kind {
      case .start: start(slot, at: now)
      case .retry: attempt(slot, at: now)
      }
    }
    for _ in 0..<Self.workPerTurn {
      guard let slot = nextDeadline(), jobs[slot].deadlineAt <= loop.now else { break }
      deadlines.dropFirst()
      jobs[slot].deadlineEntry = nil
      expire(slot)
    }
    let next = min(due.next ?? .distantFuture, deadlines.next ?? .distantFuture)
    guard next < .distantFuture else { return }
    if timer == nil { timer = LoopTimer(on: loop) { [unowned self] in run() } }
    timer?.arm(at: next)
  }

  private func nextDeadline() -> Int? {
    while let entry = deadlines.first {
      let isNewest = jobs[entry.slot].deadlineEntry == entry.at
      let isInFlight = jobs[entry.slot].isInFlight
      if isNewest, isInFlight, jobs[entry.slot].deadlineAt == entry.at { return entry.slot }
      deadlines.dropFirst()
      guard isNewest else { continue }
      jobs[entry.slot].deadlineEntry = nil
      if isInFlight { expect(entry.slot) }
    }
    return nil
  }

  private func expect(_ slot: Int) {
    let at = jobs[slot].deadlineAt
    if let entry = jobs[slot].deadlineEntry, entry <= at { return }
    jobs[slot].deadlineEntry = at
    deadlines.push(DeadlineEntry(slot: slot, at: at), at: at)
  }

  private func start(_ slot: Int, at now: WallInstant) {
    jobs[slot].start(at: now)
    tally[.scheduled] -= 1
    tally[.inFlight] += 1
    tally[.started] += 1
    expect(slot)
    attempt(slot, at: now)
  }

  private func expire(_ slot: Int) {
    let now = loop.now
    if jobs[slot].isInService { sample(slot, .deadlineExceeded, at: now) }
    let channel = jobs[slot].call > 0 ? jobs[slot].channel : -1
    leave(slot, cancelling: true)
    giveUpIfSilent(channel, since: jobs[slot].readBefore)
    tally[.inFlight] -= 1
    finish(slot, .timedOut, at: now)
    serveWaiting()
  }

  // MARK: the end of attempts

  func sample(_ slot: Int, _ status: StatusCode, at now: WallInstant) {
    report.attempts.append(
      AttemptSample(service: now - jobs[slot].mark, status: status))
    reportLater()
  }

  func fail(_ slot: Int, _ status: CallStatus, at now: WallInstant) {
    tally.count(.statuses, "\(status.code)")
    if status.pushbackMilliseconds != nil { tally[.pushbacks] += 1 }
    if jobs[slot].isInService { sample(slot, status.code, at: now) }
    switch jobs[slot].failed(
      status, at: now, settings.retry, seed: settings.seed, budget: &budget)
    {
    case .retry(let instant):
      tally[.retries] += 1
      push(.retry, slot, at: instant)
      timer?.arm(at: min(due.next ?? .distantFuture, instant))
    case .withheld:
      tally[.retriesWithheld] += 1
      fail(slot, for: status.code, at: now)
    case .giveUp: fail(slot, for: status.code, at: now)
    }
  }

  private func fail(_ slot: Int, for code: StatusCode, at now: WallInstant) {
    tally[.inFlight] -= 1
    finish(slot, .failed(code), at: now)
  }

  func finish(_ slot: Int, _ outcome: UploadOutcome, at now: WallInstant) {
    jobs[slot].move(to: .ended, at: now)
    switch outcome {
    case .acknowledged:
      tally[.acknowledged] += 1
      budget.succeeded(jobs[slot].job.phone)
    case .failed: tally[.failed] += 1
    case .timedOut: tally[.timedOut] += 1
    }
    report.completions.append(jobs[slot].completion(outcome))
    jobs[slot].end()
    freeJobs.append(slot)
    reportLater()
  }

  private func reportLater() {
    guard !isReporting else { return }
    isReporting = true
    loop.atEndOfTurn(self)
  }

  func endOfTurn() {
    loop.assertOnLoop()
    isReporting = false
    var next = UploadReport()
    // The next turn needs about this capacity. Growth would move the elements several times.
    next.completions.reserveCapacity(report.completions.count)
    next.attempts.reserveCapacity(report.attempts.count)
    sink(exchange(&report, with: next))
    if isDraining, tally[.inFlight] == 0, tally[.scheduled] == 0 { Waiter.shared.wake() }
  }
}
