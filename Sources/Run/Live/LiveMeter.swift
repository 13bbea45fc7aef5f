internal import Core
internal import Figures
internal import Fleet
internal import Foundation
internal import Scenarios
internal import Uploads

/// Measures an interval per second. The first process adds up the intervals of all processes.
struct LiveMeter {
  private let plan: RunPlan
  private let session: LiveSession
  private let handle: any LiveServer
  private(set) var next: WallInstant
  private var last: WallInstant
  private var reader: ShareReader
  private var watch: LiveWatch
  private var phones: PhoneWatch
  private var answer: PhoneAnswer?
  private var lastCollectors: CollectorGroup.Metrics?
  private var pending: [Pending] = []
  private var own: ShareInterval?
  private var processors = ProcessorWatch(cores: ProcessInfo.processInfo.activeProcessorCount)
  var sender: (() -> Snapshot.SenderRates?)?
  private(set) var kept: [ShareInterval] = []
  private(set) var timeline: [TimelineRow] = []
  /// The CPU time of the run's processes and of other processes in the measured time.
  var contention: ProcessorContention { processors.contention }

  private struct Pending {
    let collectors: [Snapshot.ProcessLoad]
    let compressed: [TrafficFigures.Compressed]
    let errors: [String: Int]?
  }

  init(_ plan: RunPlan, session: LiveSession, handle: any LiveServer) {
    self.plan = plan
    self.session = session
    self.handle = handle
    last = max(plan.wall(), session.clock.wallStart)
    next = last + .seconds(1)
    lastCollectors = handle.metrics()
    reader = ShareReader(plan, session: session)
    watch = LiveWatch(
      plan, server: handle.detail, cohortStarts: session.fleet.context.cohortStarts)
    phones = PhoneWatch(plan.scenario, session.live)
  }

  /// Reads an interval if one is due. Returns the next interval that all processes have sent, or
  /// nil. With a nil `phase` the clock decides between ramp and measure.
  mutating func interval(at now: WallInstant, phase: String?) -> LiveInterval? {
    if now >= next { read(at: now, phase: phase) }
    return composed()
  }

  func close() { plan.link?.post(nil) }

  private mutating func read(at now: WallInstant, phase: String?) {
    let seconds = (now - last).seconds
    last = now
    while next <= now { next += .seconds(1) }
    let at = session.clock.scenario(at: now)
    let moment = ShareInterval.Moment(
      at: at, wallSeconds: (now - session.clock.wallStart).seconds, seconds: seconds,
      phase: phase ?? (at < plan.scenario.measureStart ? "ramp" : "measure"))
    let second = Int((next - session.clock.wallStart).microseconds / 1_000_000) - 1
    var share = reader.read(at: moment, second: second)
    answer = phones.look(plan.asked?(), at: at)
    handle.checkLedger(onViolation: session.violationLog.note)
    let collectors = readProcesses(&share)
    session.recorder.logInterval(at: now)
    if plan.leads {
      pending.append(
        Pending(
          collectors: collectors,
          compressed: TrafficFigures.rows(handle.compressed), errors: session.sender.failures))
    }
    if let link = plan.link { link.post(share) } else { own = share }
  }

  /// Returns the next interval that all processes have sent; nil if there is none yet.
  mutating func composed() -> LiveInterval? {
    guard !pending.isEmpty, let share = plan.link.map({ $0.takeInterval() }) ?? own.take() else {
      return nil
    }
    let known = pending.removeFirst()
    if plan.shard != nil { kept.append(share) }
    var interval = watch.interval(
      share, known.collectors, compressed: known.compressed)
    interval.snapshot.sender = sender?()
    interval.phones = answer
    if let errors = known.errors { interval.snapshot.errors = errors }
    timeline.append(interval.row)
    return interval
  }

  /// Returns the load of this run's collectors: first their sum, then each of several collectors,
  /// then the database. Adds the waiting times of collectors and generator to `share`.
  private mutating func readProcesses(
    _ share: inout ShareInterval
  ) -> [Snapshot.ProcessLoad] {
    let (now, moment) = (handle.metrics(), share.moment)
    let waits = processors.look(
      collectorPIDs: handle.processIDs, generator: reader.process,
      collectors: now.map { ($0.collectors + [$0.database].compactMap(\.self)).sum },
      seconds: moment.seconds, isMeasured: moment.phase == "measure",
      responseP99: share.load.latency.response.percentile(0.99))
    share.senders[0].waited = waits.generator
    guard let now else { return [] }
    defer { lastCollectors = now }
    func load(
      _ name: String, _ now: ProcessMetrics, since last: ProcessMetrics?, waited: Double? = nil
    ) -> Snapshot.ProcessLoad {
      .init(
        name: name, cores: last.map { now.cores(since: $0, moment.seconds) },
        residentBytes: now.residentBytes, waited: waited)
    }
    var loads = [
      load("collector", now.sum, since: lastCollectors?.sum, waited: waits.collector)
    ]
    if now.collectors.count > 1 {
      loads += now.collectors.enumerated().map { number, metrics in
        load(
          CollectorGroup.name(number, of: now.collectors.count), metrics,
          since: lastCollectors?.collectors[number])
      }
    }
    if let database = now.database {
      loads.append(load("database", database, since: lastCollectors?.database))
    }
    return loads
  }
}
