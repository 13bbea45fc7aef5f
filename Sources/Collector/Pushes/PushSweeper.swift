internal import Core
internal import ServerLogic
internal import Transport
internal import Wire

/// Performs the duties of the scenario clock, which are the sweeps and the begin and end of the
/// measured time, and publishes pushes to subscribers. For the loop's thread only.
final class PushSweeper {
  private let loop: EventLoop
  private let runs: RunHost
  private let commits: Commits
  private let replies: ReplyWriter
  private var subscriptions: [ServerCall] = []
  private var isStopped = false
  /// The other collectors on the same store; nil if the store cannot be shared.
  private let others: OtherCollectors?
  private var isCatchingUp = false
  private var doneUntil = SimInstant.distantPast
  private(set) var counters = SweepCounters()
  private lazy var timer = LoopTimer(on: loop) { [unowned self] in doDuties() }

  init(
    _ loop: EventLoop, _ runs: RunHost, _ commits: Commits, _ replies: ReplyWriter,
    _ others: OtherCollectors?
  ) {
    self.others = others
    self.loop = loop
    self.runs = runs
    self.commits = commits
    self.replies = replies
  }

  var subscribers: Int { subscriptions.count }

  // MARK: Begin and end

  func beginRun() {
    for call in subscriptions { replies.refuse(call, .aborted, "another run was opened") }
    subscriptions = []
    counters = SweepCounters()
    doneUntil = .distantPast
  }

  /// Begins the duties once the store knows the run; earlier duties are skipped.
  func start() {
    if let run = runs.run { doneUntil = max(doneUntil, run.clock.scenario(at: loop.now)) }
    doDuties()
  }

  func stop() {
    isStopped = true
    timer.disarm()
  }

  // MARK: Duties

  private func doDuties() {
    while !isStopped, !isCatchingUp, let run = runs.run,
      let next = run.nextDuty(after: doneUntil)
    {
      let due = run.clock.wall(of: next.at)
      guard due <= loop.now else {
        timer.arm(at: due)
        return
      }
      counters.lateness.record((loop.now - due).microseconds)
      guard let others else {
        perform(next.duty, at: next.at, of: run)
        continue
      }
      // Other collectors' reports are needed to know which phones are silent.
      isCatchingUp = true
      others.catchUp(reads: false) { [weak self] _ in
        self?.isCatchingUp = false
        self?.perform(next.duty, at: next.at, of: run)
        self?.doDuties()
      }
    }
  }

  private func perform(_ duty: OpenedRun.Duty, at instant: SimInstant, of run: OpenedRun) {
    guard run === runs.run, !isStopped else { return }
    switch duty {
    case .openMeasure: if !run.hasOpenedMeasure { run.openMeasure() }
    case .sweep:
      if others?.isSweeper ?? true { sweep(run, at: instant) }
      doneUntil = max(doneUntil, instant)
    case .closeMeasure:
      guard !run.hasClosedMeasure else { return }
      run.closeMeasure()
      publish(PushSweep(sweptAt: instant, requests: [], isLast: true))
    }
  }

  /// Sweeps if there is a subscriber; otherwise, due phones stay due.
  private func sweep(_ run: OpenedRun, at now: SimInstant) {
    guard !subscriptions.isEmpty else {
      counters.sheet[.sweepsWithoutSubscriber] += 1
      return
    }
    guard !run.isDown(at: now) else { return }
    var pushes: [SilentPush] = []
    var withheld: [UInt64] = []
    run.backend.sweep(
      at: now, emit: { pushes.append($0) }, withhold: { withheld.append($0.pushID) })
    counters.sheet[.sweeps] += 1
    if commits.isDurable {
      for push in pushes {
        commits.submit(WakeOccasion(pushID: push.id, at: now, isWithheld: false))
      }
      for id in withheld {
        commits.submit(WakeOccasion(pushID: id, at: now, isWithheld: true))
      }
    }
    publish(PushSweep(sweptAt: now, requests: pushes, isLast: true, withheld: withheld))
  }

  // MARK: The stream

  /// Sends a sweep, with the answers since the last one, in parts below the message limit.
  private func publish(_ sweep: PushSweep) {
    let answered =
      runs.run?.backend.takeAnswered().compactMap { occasion in
        occasion.answeredAfter.map { PushSweep.Answer(id: occasion.pushID, after: $0) }
      } ?? []
    let parts = max(
      1,
      (max(sweep.requests.count, sweep.withheld.count, answered.count) + Self.partMax - 1)
        / Self.partMax)
    for part in 0..<parts {
      let message = PushSweep(
        sweptAt: sweep.sweptAt, requests: Self.slice(sweep.requests, part),
        isLast: part == parts - 1, withheld: Self.slice(sweep.withheld, part),
        answered: Self.slice(answered, part), asked: part == 0 ? sweep.asked : [])
      subscriptions.removeAll { subscriber in
        switch replies.send(subscriber, message) {
        case .queued: return false
        case .gone: return true
        case .full:
          counters.sheet[.pushesDropped] += message.requests.count
          replies.refuse(
            subscriber, .resourceExhausted, "the reader of this stream is too slow")
          return true
        }
      }
    }
  }

  func send(_ push: SilentPush) {
    publish(PushSweep(sweptAt: push.requestedAt, requests: [], isLast: true, asked: [push]))
  }

  /// Sends the answers since the last sweep, so that a snapshot never lags behind the stream.
  func publishAnswers() {
    guard let run = runs.run, run.backend.hasNewAnswers, !subscriptions.isEmpty else { return }
    publish(
      PushSweep(sweptAt: run.clock.scenario(at: loop.now), requests: [], isLast: true))
  }

  /// The maximum number of requests or answers per part: 20,000 take less than 700 kB.
  private static let partMax = 20_000

  private static func slice<Element>(_ all: [Element], _ part: Int) -> [Element] {
    Array(all.dropFirst(part * partMax).prefix(partMax))
  }

  // MARK: Calls

  func subscribe(_ call: ServerCall, _ request: PushesRequest) {
    guard let run = runs.run else { return replies.refuseWithoutRun(call) }
    guard request.runID == run.id else {
      return replies.refuse(call, .failedPrecondition, "the open run is '\(run.id)'")
    }
    subscriptions.append(call)
  }

  func unsubscribe(_ call: ServerCall) { subscriptions.removeAll { $0 == call } }

  func takeResults(_ call: ServerCall, _ request: PushResultRequest) {
    guard let run = runs.run else { return replies.refuseWithoutRun(call) }
    let now = run.clock.scenario(at: call.receivedAt)
    var known: UInt32 = 0
    for outcome in request.outcomes
    where run.backend.pushResult(outcome.id, status: Int(outcome.status), at: now) {
      known += 1
    }
    replies.answer(call, PushResultReply(known: known))
  }
}
