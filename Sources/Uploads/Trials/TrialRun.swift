internal import Capacity
internal import Collector
internal import Core
internal import Foundation
internal import Transport

/// Runs a trial: a new collector under a load for some seconds.
struct TrialRun {
  let plan: CapacityPlan
  let isPinned: Bool
  let shouldStop: () -> Bool

  struct Seen {
    var trial: TrialRecord
    /// The CPU seconds per batch of the collector's core, or of its process if it is not pinned.
    var cpuSecondsPerBatch: Double?
    var storedBytesPerBatch: Double?
  }

  func run(_ trial: TrialRecord) throws(CollectorRunError) -> Seen {
    try removeStore()
    // A failed removal is reported by the removal at the start of the next trial.
    defer { try? removeStore() }
    let list = trial.kind == .ceiling || plan.identities.isEmpty ? nil : identities(trial)
    let session = try OverloadSession(
      plan.session(
        isDurable: trial.kind != .ceiling, phones: list?.population ?? CapacityPlan.otherPhones),
      pinned: isPinned,
      deadline: plan.deadline, identities: list?.phones ?? [])
    defer { session.stop() }
    let first = session.secondsPassed + 1
    let measured = first + CapacityPlan.warmUp
    let end = measured + max(1, Int(trial.seconds.rounded()))
    var looks: [Look] = []
    session.load.offer(
      trial.load, from: session.start + .seconds(Int64(first)),
      until: session.start + .seconds(Int64(end)),
      everyStep: {
        guard looks.isEmpty, session.secondsPassed >= measured else { return }
        looks.append(Look(session, plan.store))
      }, shouldStop: shouldStop)
    looks.append(Look(session, plan.store))
    Waiter.shared.wait(
      until: session.start + .seconds(Int64(end)) + plan.deadline + .seconds(1)
    ) { session.tally.ended >= session.load.number || shouldStop() }
    return seen(trial, session, measured..<end, looks)
  }

  private func identities(_ trial: TrialRecord) -> IdentityList {
    let uploads = trial.load * (trial.seconds + Double(CapacityPlan.warmUp)) * 1.2
    // A phone's earlier batch has ended once the deadline has passed.
    let gap = trial.load * plan.deadline.seconds
    return IdentityList(
      plan.identities, town: max(1, plan.phones), count: Int(uploads) + 1, gap: Int(gap) + 1)
  }

  private func removeStore() throws(CollectorRunError) {
    do throws(StoreError) { try plan.store.empty() } catch {
      throw .unreachable(error.description)
    }
  }

  private struct Look {
    var at = MonotonicClock.now
    var collector: ProcessMetrics?
    var own = ProcessMetrics.current()
    var core = CoreTime(core: 1)
    var ownCore = CoreTime(core: 0)
    /// The CPU time of the database in microseconds; nil if unknown.
    var database: Int64?

    init(_ session: OverloadSession, _ store: TrialStore) {
      collector = session.collector.metrics()
      database = store.cpuMicroseconds
    }
  }

  private func seen(
    _ trial: TrialRecord, _ session: OverloadSession, _ range: Range<Int>, _ looks: [Look]
  ) -> Seen {
    var trial = trial
    let seconds = range.map { session.tally.tally($0..<$0 + 1) }
    let all = session.tally.tally(range)
    let length = Double(range.count)
    trial.seconds = length
    trial.offeredPerSecond = Double(all.offered) / length
    trial.acknowledgedPerSecond = Double(all.acknowledged) / length
    trial.refused = all.shed
    trial.failed = all.failed
    trial.late = all.late
    trial.p50Microseconds = all.response.percentile(0.5).microseconds.map(Double.init)
    trial.p99Microseconds = all.response.percentile(0.99).microseconds.map(Double.init)
    trial.meanMicroseconds = all.response.mean
    trial.lagP99Microseconds = all.lag.percentile(0.99).microseconds.map(Double.init)
    var seen = Seen(trial: trial)
    if let begin = looks.first, let end = looks.last, looks.count > 1 {
      use(begin, end, acknowledged: trial.acknowledgedPerSecond, &seen)
    }
    TrialJudge(
      latencyLimitMicroseconds: Double(plan.latencyLimit.microseconds),
      lossRatio: plan.goal.lossRatio
    ).judge(
      &seen.trial,
      seconds.map {
        TrialJudge.Second(
          offered: $0.offered, acknowledged: $0.acknowledged, unserved: $0.shed + $0.failed,
          late: $0.late)
      })
    seen.storedBytesPerBatch = stored(session)
    return seen
  }

  private func use(_ begin: Look, _ end: Look, acknowledged: Double, _ seen: inout Seen) {
    let wall = max(1e-6, (end.at - begin.at).seconds)
    let own = end.own.cpuMicroseconds - begin.own.cpuMicroseconds
    seen.trial.generatorCores = Double(own) / 1e6 / wall
    if isPinned, let from = begin.ownCore, let to = end.ownCore {
      seen.trial.stolenShare = (to.stolenSeconds - from.stolenSeconds) / wall
    }
    if let before = begin.collector, let after = end.collector {
      let cpu = Double(after.cpuMicroseconds - before.cpuMicroseconds) / 1e6
      seen.trial.collectorCores = cpu / wall
      seen.trial.residentBytes = Double(after.residentBytes)
      if let from = begin.database, let to = end.database {
        seen.trial.databaseCores = Double(to - from) / 1e6 / wall
      }
      // The kernel's work for the collector runs on its core and is charged to no process.
      var busy = cpu / wall + (seen.trial.databaseCores ?? 0)
      if isPinned, let from = begin.core, let to = end.core {
        busy = max(busy, (to.busySeconds - from.busySeconds) / wall)
      }
      if acknowledged > 0 { seen.cpuSecondsPerBatch = busy / acknowledged }
    }
  }

  private func stored(_ session: OverloadSession) -> Double? {
    let bytes = plan.store.bytes()
    let batches = session.tally.tally(0..<session.secondsPassed + 1).acknowledged
    // Checkpoints move the log into the file, but with few batches no checkpoint may have run.
    return batches > 20_000 && bytes > 0 ? Double(bytes) / Double(batches) : nil
  }
}

/// A core's times since boot, from /proc/stat.
private struct CoreTime {
  var busySeconds: Double
  /// Time in which the hypervisor ran another guest.
  var stolenSeconds: Double

  init?(core: Int) {
    guard let data = FileManager.default.contents(atPath: "/proc/stat") else { return nil }
    for line in String(decoding: data, as: UTF8.self).split(separator: "\n")
    where line.hasPrefix("cpu\(core) ") {
      // user nice system idle iowait irq softirq steal (proc(5)).
      let fields = line.split(separator: " ").dropFirst().compactMap { Double($0) }
      guard fields.count >= 8 else { return nil }
      let tick = 1 / Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
      busySeconds = (fields[0] + fields[1] + fields[2] + fields[5] + fields[6]) * tick
      stolenSeconds = fields[7] * tick
      return
    }
    return nil
  }
}
