package import Collector
package import Core
internal import Figures
internal import Fleet
internal import Foundation
internal import Scenarios
internal import Synchronization
package import Transport
package import Uploads

/// One live run: warm start, live part on real sockets, drain and reconciliation. Each process
/// sends for a range of the phones. The first process owns the collector and writes the record. A
/// separate thread paces the fleet.
package final class LoadRun {
  package enum Target: Sendable {
    case children([ChildCollector.Command])
    case existing([Endpoint], token: String?)
  }

  let plan: RunPlan
  private let target: Target?
  /// The user's backend; nil if the run uses collectors.
  private let backend: TargetSetup?
  private let database: PostgresCluster?
  private let capture: CaptureFile?
  private let journal: FleetJournal?
  private let via: Endpoint?
  private let inputsPath: String?
  let progress: (RunProgress) -> Void
  let shouldStop: () -> Bool
  var outcome: RunOutcome

  /// - Parameter target: the collectors; nil except in the first process.
  /// - Parameter via: an address, such as a proxy's, to which uploads go instead of the target.
  ///   Control calls go to the target.
  /// - Parameter inputsPath: the file that records the server's messages for `simulate --inputs`.
  package init(
    _ plan: RunPlan, target: Target?, backend: TargetSetup? = nil,
    database: PostgresCluster? = nil, capture: CaptureFile? = nil,
    journal: FleetJournal? = nil,
    via: Endpoint? = nil, inputsPath: String? = nil, progress: @escaping (RunProgress) -> Void,
    shouldStop: @escaping () -> Bool
  ) {
    var plan = plan
    if backend == nil { plan.scenario.keepEvents([]) }
    self.plan = plan
    self.target = target
    self.backend = backend
    self.database = database
    self.capture = capture
    self.journal = journal
    self.via = via
    self.inputsPath = inputsPath
    self.progress = progress
    self.shouldStop = plan.link?.stopping(shouldStop) ?? shouldStop
    outcome = RunOutcome(record: RunRecord(plan))
  }

  /// Carries out the run. The first process returns the outcome of the whole fleet. Throws only if
  /// no collector is reachable at the start. Any later error becomes a part of the record.
  package func run() throws(CollectorRunError) -> RunOutcome {
    do throws(CollectorRunError) {
      return try carryOut()
    } catch {
      plan.link?.stop()
      _ = plan.end(.failed("\(error)"))
      throw error
    }
  }

  private func carryOut() throws(CollectorRunError) -> RunOutcome {
    let began = plan.wall()
    let earlier = try earlierUploads(backend)
    let warm = WarmStart(
      plan, answers: .fromOutside, progress: progress, shouldStop: shouldStop,
      journal: journal?.earlier, earlier: earlier)
    guard let warm else { return stopped("during the warm start") }
    note(warm)
    let loops = RunLoops()
    defer { loops.stop() }
    let handle = try reach(loops, hashKey: warm.fleet.context.hashKey)
    guard let handle else { return stopped("before the live part") }
    defer { handle.close() }
    try handle.prepare(warm, isResumed: journal?.earlier != nil)
    if let stopped = try prime(handle, backend, with: earlier, warm, loops) { return stopped }
    var wire: [WireFaults] = []
    defer { for proxy in wire { proxy.close() } }
    for endpoint in handle.endpoints {
      wire +=
        try WireFaults(plan, from: warm.liveFrom, loop: loops.control, to: endpoint)
        .map { [$0] } ?? []
    }
    let inputs = inputWriter()
    let session = try LiveSession(
      plan, warm: warm, to: uploadsGo(wire, handle), of: handle, loops: loops, capture: capture,
      journal: journal, inputs: inputs)
    for note in plan.link?.notes ?? [] { say(note) }
    reportEarlierLives(session, liveFrom: warm.liveFrom)
    beginLog(session, runStart: began)
    let provider = try provider(session)
    try handle.goLive(
      at: session.clock.wall(of: plan.scenario.start), onSweep: session.takesSweep)
    var meter = LiveMeter(plan, session: session, handle: handle)
    meter.sender = provider?.rates
    let sampler = PhoneSampler(plan, warm.fleet)
    let end = pace(session, handle, provider, sampler, &meter)
    drain(session, handle, &meter)
    outcome.phones = sampler?.sample()
    if let phones = outcome.phones { progress(.phones(.ended(phones.days))) }
    finish(&meter)
    if let why = inputs?.finish(at: end) { say("inputs.bin is incomplete: \(why)") }
    if let capture {
      let (messages, failure) = capture.close()
      say(failure.map { "the capture is incomplete: \($0)" } ?? "\(messages) uploads captured")
    }
    if let first = wire.first {
      let counters = wire.dropFirst().reduce(into: first.counters) { $0.add($1.counters) }
      say("injected wire faults: \(counters.text)")
    }
    // `settled` is a copy, because the run adds to its log while the proof waits for a collector.
    var settled = outcome
    fill(
      &settled,
      from: ended(session, handle, warm.fleet.context, meter.contention, provider?.figures, at: end)
    )
    settled.log = outcome.log
    outcome = settled
    for line in outcome.record.sender?.lines ?? [] { note("your sender: \(line)") }
    outcome.record.timing.wallSeconds = (plan.wall() - began).seconds
    return outcome
  }

  private func note(_ warm: WarmStart) {
    outcome.record.timing.warmStartWallSeconds = warm.wall.seconds
    outcome.record.timing.warmStartFromCache = warm.isCached
    outcome.log += warm.notes
    say("warm start done in \(Figure.plain(warm.wall.seconds)) s")
  }

  private func provider(_ session: LiveSession) throws(CollectorRunError) -> (any PushSide)? {
    guard let senders = plan.senders, let outside = session.outside else { return nil }
    if let link = plan.link, !link.place.isFirst {
      return PushReceiver(of: outside, mailbox: session.mailbox, over: link)
    }
    do throws(TransportError) {
      let provider = try RunPushProvider(
        senders, plan, clock: session.clock, to: outside, mailbox: session.mailbox)
      say(
        "push endpoint on \(senders.tls == nil ? "http" : "https")://"
          + "\(Endpoint(host: senders.address.host, port: provider.port))")
      return provider
    } catch {
      throw .childFailed(error.description)
    }
  }

  private func uploadsGo(_ wire: [WireFaults], _ server: any LiveServer) -> [Endpoint] {
    wire.isEmpty ? via.map { [$0] } ?? server.endpoints : wire.map(\.endpoint)
  }

  func stopped(_ when: String) -> RunOutcome {
    _ = plan.end(.unmeasured)
    outcome.judge(interrupted: ["Stopped \(when): nothing was measured."])
    return outcome
  }

  /// Connects to the run's server; nil if the first process has ended.
  private func reach(
    _ loops: RunLoops, hashKey: UInt64
  ) throws(CollectorRunError) -> (any LiveServer)? {
    if let backend { return TargetBackend(backend, plan, say: say) }
    func handle(
      _ target: Target, _ plan: RunPlan
    ) throws(CollectorRunError) -> CollectorGroup {
      try CollectorGroup(
        target, plan, runID: journal?.runID, loops: loops, hashKey: hashKey,
        database: database, say: say)
    }
    guard let target else {
      let place: CollectorPlace? = plan.link.flatMap { $0.fromFirst(nil) }
      return try place.map { place throws(CollectorRunError) in
        var plan = plan
        plan.scenario.run.tls?.authorities = place.authorities
        return try handle(.existing(place.endpoints, token: place.token), plan)
      }
    }
    let collector = try handle(target, plan)
    _ = plan.link?.fromFirst(CollectorPlace(collector, plan.scenario.run.tls))
    return collector
  }

  // MARK: The end

  private func finish(_ meter: inout LiveMeter) {
    meter.close()
    _ = plan.link?.exchange(true)
    while let interval = meter.composed() { show(interval) }
    outcome.timeline = meter.timeline
    outcome.kept = meter.kept
  }

  private func ended(
    _ session: LiveSession, _ handle: any LiveServer, _ context: FleetContext,
    _ contention: ProcessorContention, _ sender: SenderFigures?, at end: SimInstant
  ) -> EndedRun {
    var account = session.account(at: end, plan.scenario)
    let collector = handle.use(
      plan.place.count == 1 ? session.sender.countersByCollector : [])
    var mine = ServerAccount()
    mine.sender = sender
    mine.wake = session.pushes.account(of: plan.scenario, until: end)
    let settled = handle.settle(&account, &mine, session, journal)
    var share = RunShare(
      fleet: account, server: mine, latencyLog: session.recorder.latencyLog)
    share.target = settled.target
    let ended = EndedShares(plan.end(.measured(share)), of: plan)
    return EndedRun(
      plan: plan, context: context, ended: ended, began: session.clock.scenarioStart,
      server: settled.account, wake: ended.wake, collector: collector,
      descriptorLimit: ResourceLimit.descriptors.current, contention: contention)
  }

  private func fill(_ outcome: inout RunOutcome, from run: EndedRun) {
    do throws(FleetAccountError) {
      try LiveRecord(run).fill(&outcome)
    } catch {
      preconditionFailure("the processes of a run have one scenario: \(error)")
    }
  }

  private func inputWriter() -> InputWriter? {
    // A replay needs the messages to all phones, but one of several processes has only some.
    guard let inputsPath, plan.place.count == 1 else { return nil }
    do throws(InputWriterError) {
      return try InputWriter(
        path: inputsPath, seed: plan.scenario.seed, scenarioHash: plan.scenarioHash)
    } catch {
      say("\(error)")
      return nil
    }
  }

  private func reportEarlierLives(_ session: LiveSession, liveFrom: SimInstant) {
    guard let resender = session.resender else { return }
    let at = ClockText.text(liveFrom, plan.scenario.clock)
    say(
      "the fleet resumes at \(at), where it was killed; \(resender.count) unacknowledged "
        + "batches are sent again")
  }

  /// Returns whether the run must end, because it was stopped or its journal has failed.
  private func isOver() -> Bool {
    guard journal?.failure != nil else { return shouldStop() }
    plan.link?.stop()
    return true
  }

  private func beginLog(_ session: LiveSession, runStart: WallInstant) {
    let startedAt = try? Date.ISO8601FormatStyle().parse(plan.startedAt)
    session.recorder.beginLog(
      startSeconds: (startedAt?.timeIntervalSince1970 ?? 0)
        + (session.clock.wallStart - runStart).seconds,
      startText: plan.startedAt)
  }

  func say(_ text: String) {
    note(text)
    progress(.note(text))
  }

  private func note(_ text: String) {
    let at = Figure.plain((Double(plan.wall().microseconds) / 1e6 * 1_000).rounded() / 1_000)
    outcome.log.append("\(at) \(text)")
  }

  // MARK: Live

  /// - Returns: the scenario instant up to which the fleet was simulated.
  private func pace(
    _ session: LiveSession, _ handle: any LiveServer, _ provider: (any PushSide)?,
    _ sampler: PhoneSampler?, _ meter: inout LiveMeter
  ) -> SimInstant {
    let scenario = plan.scenario
    var faults = FaultScript(
      scenario, clock: session.clock, handle: handle, stallUploads: session.stallUploads, say: say)
    let pacer = Pacer(session.live, clock: session.clock, end: scenario.measureEnd, wall: plan.wall)
    pacer.start()
    Waiter.shared.takeTurns {
      guard !pacer.isOver, !isOver() else { return nil }
      let now = plan.wall()
      faults.act(now: now)
      session.resend(now: now)
      handle.keepAlive()
      let interval = meter.interval(at: now, phase: nil)
      if let interval { show(interval) }
      let at = session.clock.scenario(at: now)
      let phones =
        sampler?.look(session.live, at: at)
        ?? (interval == nil ? nil : sampler?.glance(session.live, at: at))
      if let phones { progress(.phones(phones)) }
      provider?.look()
      if let statuses = session.pushStatuses(now: now) {
        handle.report(statuses)
        provider?.learn(session.tokenEndings(now: now))
      }
      let nextSight = sampler.map { session.clock.wall(of: $0.next) } ?? .distantFuture
      return min(
        min(faults.next, meter.next, nextSight), handle.nextLook, session.nextReport,
        session.nextResend)
    }
    if !pacer.isOver { session.endStall() }
    pacer.stop()
    provider?.close()
    let lived = min(session.clock.scenario(at: plan.wall()), scenario.measureEnd)
    let end = pacer.isOver ? scenario.measureEnd : max(lived, session.live.horizon)
    faults.end()
    if let phones = sampler?.look(session.live, at: end) { progress(.phones(phones)) }
    session.live.stop(at: end)
    session.freeze(at: end)
    if let failure = journal?.failure { say("the journal cannot be written: \(failure)") }
    outcome.record.timing.liveWallSeconds = (plan.wall() - session.clock.wallStart).seconds
    return end
  }

  private func drain(
    _ session: LiveSession, _ handle: any LiveServer, _ meter: inout LiveMeter
  ) {
    let began = plan.wall()
    let scenario = plan.scenario
    let wanted = WallDuration(seconds: scenario.phases.drain.seconds / scenario.speed)
    session.sender.drain()
    let limit = began + max(wanted, scenario.network.deadline + .seconds(1))
    Waiter.shared.takeTurns {
      guard plan.wall() < limit else { return nil }
      session.live.drainTick()
      session.resend(now: plan.wall())
      let counters = session.sender.counters()
      if counters[.inFlight] == 0, counters[.scheduled] == 0, session.resender?.isDone ?? true {
        return nil
      }
      handle.keepAlive()
      if let interval = meter.interval(at: plan.wall(), phase: "drain") { show(interval) }
      return min(limit, meter.next, handle.nextLook, session.nextResend)
    }
    if let left = session.resender?.left, left > 0 {
      say("\(left) batches from before the restart are still unacknowledged")
    }
    if session.sender.counters()[.inFlight] > 0 {
      say("drain ended with uploads in flight: their outcome is unknown")
      session.sender.abort()
    }
    // The dispatcher has ended every upload, but the answers may not have reached the shards yet.
    Waiter.shared.wait(until: plan.wall() + .seconds(1)) {
      session.live.drainTick()
      return session.fleet.census()[.inFlightBatches] == 0
    }
    session.recorder.logInterval(at: plan.wall(), isEnd: true)
    outcome.record.timing.drainWallSeconds = (plan.wall() - began).seconds
    outcome.record.phases.drain = (plan.wall() - began).seconds * scenario.speed
  }

  private func show(_ interval: LiveInterval) {
    outcome.log.append(PlainLine.text(interval))
    progress(.live(interval))
  }
}
