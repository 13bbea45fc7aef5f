internal import Core
internal import Figures
package import Fleet
internal import Phone
internal import Scenarios
internal import ServerLogic
internal import Uploads

/// Runs a scenario in virtual time, with a live run's fleet and server logic but without sockets.
package struct Simulation {
  let plan: RunPlan
  /// The messages of a live run's server; nil for an ideal network and in-process server logic.
  let inputs: InputLog?
  let compares: Bool

  var keepsTrace = false
  /// The fleet to continue with; nil to begin with the scenario.
  package var fork: ForkedLife?
  package var checkpoint: Checkpoint?
  package var samplesPhones = false
  var meter: DemandMeter?
  /// Called with every upload when it reaches the server.
  var arrived: ((UploadOrder, UnsafeBufferPointer<Fix>) -> Void)?

  package init(_ plan: RunPlan, inputs: InputLog? = nil, compares: Bool = false) {
    self.plan = plan
    self.inputs = inputs
    self.compares = compares
  }

  /// - Returns: the outcome, with a timeline row for each scenario minute. The outcome of the first
  ///   process covers the whole fleet, any other its own phones.
  package func run(
    progress: @escaping (RunProgress) -> Void, shouldStop: @escaping () -> Bool
  ) -> RunOutcome {
    let shouldStop = plan.link?.stopping(shouldStop) ?? shouldStop
    let began = plan.wall()
    var outcome = RunOutcome(record: RunRecord(plan))
    outcome.record.slo = []
    if let fork {
      outcome.log.append(fork.origin)
      advance(fork.life, &outcome, progress, shouldStop)
      setTiming(&outcome, since: began, warm: .zero)
      return outcome
    }
    // `warm` must stay the only reference, because another would keep the fleet in memory.
    guard
      let warm = WarmStart(
        plan, answers: inputs == nil ? .inProcess : .fromOutside, shardsPerThread: 8,
        progress: progress, shouldStop: shouldStop, compares: compares)
    else {
      _ = plan.end(.unmeasured)
      outcome.judge(interrupted: ["Stopped during the warm start: nothing was measured."])
      return outcome
    }
    outcome.record.timing.warmStartWallSeconds = warm.wall.seconds
    outcome.record.timing.warmStartFromCache = warm.isCached
    outcome.log += warm.notes
    let wall = warm.wall
    if let inputs {
      replay(inputs, warm.fleet, &outcome)
    } else {
      advance(BegunLife(consume warm), &outcome, progress, shouldStop)
    }
    setTiming(&outcome, since: began, warm: wall)
    return outcome
  }

  private func setTiming(
    _ outcome: inout RunOutcome, since began: WallInstant, warm: WallDuration
  ) {
    let wall = plan.wall() - began
    outcome.record.timing.wallSeconds = wall.seconds
    outcome.record.timing.liveWallSeconds = (wall - warm).seconds
    outcome.record.machine.processes["simulation"] = .init(
      ProcessMetrics.current(), over: wall)
  }

  private func replay(_ inputs: InputLog, _ fleet: PhoneFleet, _ outcome: inout RunOutcome) {
    fleet.replay(inputs)
    let digest = fleet.digest()
    fleet.inOrder { $0.startDraining() }
    let ended = ended(RunShare(fleet: fleet.account(digest: digest), server: ServerAccount()))
    do throws(FleetAccountError) {
      outcome.setFleet(try ended.fleet(), fleet.context)
    } catch {
      preconditionFailure("the processes of a run have one scenario: \(error)")
    }
    outcome.judge(
      ledger: reconcile(ended.shares.map(\.fleet), with: nil).violations,
      interrupted: ended.missing)
  }

  private func ended(_ share: RunShare) -> EndedShares {
    EndedShares(plan.end(.measured(share)), of: plan)
  }

  /// Simulates to the end, releases the phones, and then builds the record, because a day's push
  /// figures need as much memory as the phones.
  private func advance(
    _ life: consuming BegunLife, _ outcome: inout RunOutcome,
    _ progress: @escaping (RunProgress) -> Void, _ shouldStop: @escaping () -> Bool
  ) {
    let context = life.time.fleet.context
    let share = live(consume life, &outcome, progress, shouldStop)
    let ended = ended(share)
    outcome.batches = ended.shares.compactMap(\.batches)
    do throws(FleetAccountError) {
      try SimulationRecord(plan, context, ended).fill(&outcome)
    } catch {
      preconditionFailure("the processes of a run have one scenario: \(error)")
    }
  }

  private func live(
    _ life: consuming BegunLife, _ outcome: inout RunOutcome,
    _ progress: @escaping (RunProgress) -> Void, _ shouldStop: @escaping () -> Bool
  ) -> RunShare {
    let scenario = plan.scenario
    var time = life.time
    let fleet = time.fleet
    time.backend.agree = plan.agree
    time.requests = plan.requests
    let accounts = life.finder.map { PhoneAccounts(fleet, finder: $0) }
    if let accounts { time.received = accounts.received }
    time.arrived = meter?.arrived ?? arrived
    time.sentEvent = meter?.sent
    var timeline = VirtualTimeline(fleet, from: fleet.horizon)
    let sampler = samplesPhones ? PhoneSampler(plan, fleet) : nil
    sampler?.look(fleet, at: fleet.horizon)
    let began = plan.wall()
    var next = began + .milliseconds(200)
    let watch: (SimInstant) -> Bool = { [plan] at in
      timeline.note(at, fleet)
      sampler?.look(fleet, at: at)
      let now = plan.wall()
      if now >= next {
        let share = (at - scenario.start).seconds / max(1, scenario.duration.seconds)
        var snapshot = plan.virtualSnapshot("simulate", at, share: share, fleet, wall: now - began)
        snapshot.addFleet(fleet)
        progress(.virtual(snapshot))
        // The pause limits the inspection of all phones to a twentieth of the wall-clock time.
        let took = (plan.wall() - now).microseconds
        next = now + max(.milliseconds(200), .microseconds(took * 20))
      }
      return !shouldStop()
    }
    // The measured time opens before the sweep at the same instant, so that it includes this sweep.
    time.backend.openMeasure(at: scenario.measureStart)
    fleet.inOrder { $0.startCounterfactuals() }
    advance(&time, until: scenario.measureStart, &outcome, watch)
    let before = fleet.counts()
    let end = advance(&time, until: scenario.measureEnd, &outcome, watch)
    let digest = fleet.digest()
    let measured = fleet.counts() - before
    time.drain()
    fleet.inOrder { $0.closePushes(at: end) }
    time.backend.closeMeasure(at: end)
    outcome.phones = sampler?.sample()
    var account = fleet.account(digest: digest, keepsTrace: keepsTrace)
    account.livedUntil = end
    account.timeline = timeline.intervals
    account.measured = measured.asLoad
    account.proof = BatchProof(fleet, restored: life.base) { time.backend.holds($0) }
    outcome.compared = accounts?.table(measuredUntil: end)
    return RunShare(fleet: account, server: ServerAccount(time.backend), batches: meter?.log)
  }

  /// Advances to `end` and writes a checkpoint on the way. Returns the instant reached.
  @discardableResult
  private func advance(
    _ time: inout VirtualTime, until end: SimInstant, _ outcome: inout RunOutcome,
    _ watch: (SimInstant) -> Bool
  ) -> SimInstant {
    if let checkpoint, time.fleet.horizon < checkpoint.instant, checkpoint.instant <= end {
      let reached = time.advance(until: checkpoint.instant, progress: watch)
      guard reached >= checkpoint.instant else { return reached }
      outcome.checkpoint = checkpoint.write(time)
      outcome.log += [outcome.checkpoint].compactMap { $0?.sentence }
    }
    return time.advance(until: end, progress: watch)
  }

  static func backend(_ fleet: PhoneFleet, _ snapshots: SnapshotSpill) -> Backend {
    let scenario = fleet.context.scenario
    var backend = Backend(
      phones: scenario.fleet.phones, seed: scenario.seed, push: scenario.push.terms,
      hashKey: fleet.context.hashKey)
    snapshots.forEachPage { page in
      for snapshot in page { _ = backend.restore(snapshot, at: scenario.start) }
    }
    return backend
  }
}

struct BegunLife {
  let time: VirtualTime
  /// The `order` of each phone's newest batch from before this run, in phone order.
  let base: [UInt64]
  let finder: StayFinder?
}

extension BegunLife {
  fileprivate init(_ warm: consuming WarmStart) {
    let fleet = warm.fleet
    self.init(
      time: VirtualTime(fleet: fleet, backend: Simulation.backend(fleet, warm.snapshots)),
      base: warm.base, finder: warm.finder)
  }
}

private struct VirtualTimeline {
  private(set) var intervals: [FleetInterval] = []
  private var next: SimInstant
  private var last: Sheet

  init(_ fleet: PhoneFleet, from start: SimInstant) {
    next = start + .minutes(1)
    last = fleet.counts()
  }

  mutating func note(_ at: SimInstant, _ fleet: PhoneFleet) {
    guard at >= next else { return }
    let seconds = 60 + (at - next).seconds
    next = at + .minutes(1)
    let counts = fleet.counts()
    var grown = counts - last
    grown += fleet.census()
    intervals.append(FleetInterval(grown, end: at, seconds: seconds))
    last = counts
  }
}

extension TimelineRow {
  mutating func setFreshness(_ metrics: FreshnessMetrics) {
    freshInstalled = metrics.installed.ages.share(within: metrics.limit)
    freshReachable = metrics.reachable.ages.share(within: metrics.limit)
    freshMoving = metrics.moving.ages.share(within: metrics.limit)
  }
}

extension Sheet {
  fileprivate var asLoad: Sheet {
    var load = Sheet()
    load[.offeredBatches] = self[.uploadsStarted]
    load[.offeredFixes] = self[.fixesPersisted]
    load[.acknowledgedBatches] = self[.batchesAcknowledged]
    load[.acknowledgedFixes] = self[.fixesAcknowledged]
    return load
  }
}
