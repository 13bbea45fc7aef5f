internal import Core
internal import Dispatch
internal import Figures
internal import Fleet
internal import Scenarios
internal import Synchronization
internal import Uploads

package final class StudyRuns: Sendable {
  private struct State {
    var step: String?
    var (count, ended) = (0, 0)
    var done: [(phoneSeconds: Double, events: Int)] = []
    var last: Snapshot?
  }

  let shouldStop: @Sendable () -> Bool
  private let plan: RunPlan
  private let phoneSeconds: Double
  private let began: WallInstant
  private let report: @Sendable (RunProgress) -> Void
  private let state = Mutex(State())

  init(
    _ plan: RunPlan, phoneSeconds: Double, shouldStop: @escaping @Sendable () -> Bool,
    report: @escaping @Sendable (RunProgress) -> Void
  ) {
    (self.plan, self.phoneSeconds) = (plan, phoneSeconds)
    (self.shouldStop, self.report) = (shouldStop, report)
    began = plan.wall()
  }

  struct Life {
    fileprivate let number: Int
    fileprivate let threads: Int
    fileprivate let runs: StudyRuns

    func outcome(
      of plan: RunPlan, compares: Bool = true, meter: DemandMeter? = nil
    ) -> RunOutcome? {
      var plan = plan
      plan.threads = threads
      let scenario = plan.scenario
      var simulation = Simulation(plan, compares: compares)
      simulation.meter = meter
      let outcome = simulation.run(
        progress: { runs.show($0, scenario, of: self) }, shouldStop: runs.shouldStop)
      guard outcome.record.verdict != .interrupted else { return nil }
      end(scenario, events: outcome.account?.metrics[.events] ?? 0)
      return outcome
    }

    /// Counts a run as ended, because a run of less than 200 ms has not reported any progress.
    func end(_ scenario: Scenario, events: Int = 0) {
      runs.change { state in
        state.done[number] = (scenario.phoneSeconds, events)
        state.ended += 1
      }
    }
  }

  /// Starts runs in the order of their numbers, several at once. Returns when all runs have ended
  /// or, if the study is stopped, all runs that had begun.
  ///
  /// - Parameters:
  ///   - atATime: the maximum number of concurrent runs.
  ///   - step: names the current step; nil counts runs.
  ///   - work: performs the run of a number, on one of several threads; returns nil if unfinished.
  func run<Kept: Sendable>(
    _ count: Int, atATime: Int = .max, step: @escaping @Sendable (Int) -> String?,
    _ work: @Sendable (Int, Life) -> Kept?
  ) -> [Int: Kept] {
    let workers = max(1, min(plan.threads, count, atATime))
    state.withLock { $0.count = count }
    let next = Mutex(0)
    let kept = Mutex<[Int: Kept]>([:])
    DispatchQueue.concurrentPerform(iterations: workers) { _ in
      while true {
        let taken: Int? = next.withLock { next in
          guard next < count, !shouldStop() else { return nil }
          defer { next += 1 }
          return next
        }
        guard let taken else { return }
        // Concurrent fleets share the plan's threads equally.
        let life = begin(step(taken), threads: max(1, plan.threads / workers))
        if let result = work(taken, life) { kept.withLock { $0[taken] = result } }
      }
    }
    return kept.withLock { $0 }
  }

  private func begin(_ step: String?, threads: Int) -> Life {
    change { state in
      state.step = step
      state.done.append((0, 0))
      return Life(number: state.done.count - 1, threads: threads, runs: self)
    }
  }

  private func show(_ progress: RunProgress, _ scenario: Scenario, of life: Life) {
    guard case .virtual(let one) = progress else { return report(progress) }
    change { state in
      state.done[life.number] = (
        scenario.phoneSeconds * one.share(of: scenario), one.virtual?.events ?? 0
      )
      state.last = one
    }
  }

  private func change<Result>(_ body: (inout State) -> Result) -> Result {
    state.withLock { state in
      defer { report(.virtual(snapshot(state))) }
      return body(&state)
    }
  }

  private func snapshot(_ state: State) -> Snapshot {
    let done = state.done.reduce(0) { $0 + $1.phoneSeconds }
    let events = state.done.reduce(0) { $0 + $1.events }
    let elapsed = (plan.wall() - began).seconds
    var snapshot = plan.firstSnapshot(.simulate)
    snapshot.outlook = Outlook(.early, "simulating the phones.")
    snapshot.progress.phase =
      state.step ?? "run \(state.ended) of \(state.count)"
    snapshot.progress.share = min(1, done / max(phoneSeconds, 1e-9))
    snapshot.progress.elapsedSeconds = elapsed
    if done > 0 {
      snapshot.progress.leftSeconds = max(0, elapsed * (phoneSeconds - done) / done)
    }
    snapshot.virtual = Snapshot.VirtualPace(
      events: events, eventsPerSecond: elapsed > 0 ? Double(events) / elapsed : 0)
    if let last = state.last {
      snapshot.progress.scenarioTime = last.progress.scenarioTime
      snapshot.processes = last.processes
    }
    return snapshot
  }
}

extension Scenario {
  var phoneSeconds: Double {
    Double(fleet.phones) * (warmStart.seconds + duration.seconds)
  }
}

extension Snapshot {
  fileprivate func share(of scenario: Scenario) -> Double {
    let (warm, live) = (scenario.warmStart.seconds, scenario.duration.seconds)
    let share = progress.share ?? 0
    return (progress.phase == "warm start" ? warm * share : warm + live * share)
      / max(1, warm + live)
  }
}
