internal import Fleet
internal import Foundation
internal import Measure
internal import PushService
internal import Scenarios
internal import SimulationCore
internal import Transport

/// Takes an interval a second: a timeline row, and a line for whoever watches.
struct LiveMeter {
  private let plan: RunPlan
  private let session: LiveSession
  private let handle: CollectorHandle
  private var next: WallInstant
  private var last: WallInstant
  /// Since the measured time began, or the live part did.
  private var total = Interval()
  private var phase = ""
  private var watch: LiveWatch
  private var lastBytes: (sent: UInt64, received: UInt64)
  private var lastGenerator = ProcessMetrics.current()
  private var lastCensus = FleetCensus()
  private var intervals = 0
  private var lastCollector: ProcessMetrics?
  private var processors = ProcessorWatch(cores: ProcessInfo.processInfo.activeProcessorCount)
  /// A row for each interval so far.
  private(set) var timeline: [TimelineRow] = []

  init(_ plan: RunPlan, session: LiveSession, handle: CollectorHandle) {
    self.plan = plan
    self.session = session
    self.handle = handle
    last = max(plan.wall(), session.clock.wallStart)
    next = last + .seconds(1)
    lastCollector = handle.metrics()
    watch = LiveWatch(plan, session: session, handle: handle)
    let counters = session.dispatcher.counters()
    lastBytes = (counters.bytesWritten, counters.bytesRead)
  }

  /// - Parameter phase: nil: ramp or measure, by the clock.
  mutating func interval(at now: WallInstant, phase: String?) -> LiveInterval? {
    guard now >= next else { return nil }
    let seconds = (now - last).seconds
    last = now
    while next <= now { next += .seconds(1) }
    let scenario = plan.scenario
    let at = session.clock.scenario(at: now)
    let phase = phase ?? (at < scenario.measureStart ? "ramp" : "measure")
    if self.phase == "ramp", phase != "ramp" { total.reset() }
    self.phase = phase
    var extras = Extras()
    var row = session.recorder.intervals.flip(into: &total) {
      extras.fixes = $0.counters.acknowledgedFixes
      extras.p90 = $0.latency.response.percentile(0.9).microseconds
      extras.p99 = $0.latency.response.percentile(0.99)
      return Self.row($0, seconds: seconds)
    }
    row.wallSeconds = (now - session.clock.wallStart).seconds
    row.scenarioSeconds = Double(at.microseconds) / 1e6
    row.phase = phase
    let fleet = fillFleet(&row, seconds)
    extras.waits = fillProcesses(&row, seconds, responseP99: extras.p99)
    session.recorder.logInterval(at: now)
    timeline.append(row)
    let share = (at - scenario.start).seconds / max(1, scenario.duration.seconds)
    return LiveInterval(
      row: row, phones: scenario.fleet.phones, share: min(1, share),
      scenarioTime: String(ClockText.text(at, scenario.clock).suffix(8)),
      snapshot: watch.snapshot(
        at, row, fleet, latency: RunRecord.Latency(total.latency),
        interval: extras, seconds: seconds))
  }

  /// What a watcher sees of an interval beside its row.
  struct Extras {
    var fixes = 0
    var p90: Int64?
    var p99 = Percentile.unsupported
    var waits = ProcessorWatch.Waits()
  }

  /// Looking at each phone keeps its shard waiting, 0.2 µs a phone: a small fleet is looked at each
  /// second, a large one so seldom that no percentile shows it.
  private mutating func isTimeToLook() -> Bool {
    intervals += 1
    let every = plan.scenario.fleet.phones <= 10_000 ? 1 : 15
    return intervals % every == 1 % every
  }

  private static func row(_ interval: borrowing Interval, seconds: Double) -> TimelineRow {
    var row = TimelineRow()
    row.offeredPerSecond = Double(interval.counters.offeredBatches) / seconds
    row.acknowledgedPerSecond = Double(interval.counters.acknowledgedBatches) / seconds
    row.failedPerSecond = Double(interval.counters.failedBatches) / seconds
    row.attemptsPerSecond = Double(interval.latency.attempt.total) / seconds
    row.responseP50Microseconds = interval.latency.response.percentile(0.5).microseconds
    row.responseP99Microseconds = interval.latency.response.percentile(0.99).microseconds
    row.generatorLagP99Microseconds = interval.latency.generatorLag.percentile(0.99).microseconds
    return row
  }

  private mutating func fillFleet(
    _ row: inout TimelineRow, _ seconds: Double
  ) -> LiveWatch.Fleet {
    var sum = FleetMetrics(plan.scenario)
    let looks = isTimeToLook()
    var census = FleetCensus()
    var endings: [ArraySlice<PushEnding>] = []
    var metrics: [FleetMetrics] = []
    session.live.inTurn { shard in
      // Only copied here: the shard's queue has phones to keep in time.
      metrics.append(shard.metrics)
      if looks { census.merge(shard.census()) }
      let seen = watch.endingsSeen(ofShard: endings.count)
      endings.append(shard.pushEndings[seen...])
    }
    for part in metrics { sum.merge(part) }
    // The identities hold at every snapshot, or the run is worth nothing.
    if looks {
      session.noteFaults(Ledger(sum, census).check())
      lastCensus = census
    } else {
      census = lastCensus
    }
    handle.checkLedger(onViolation: session.violationLog.note)
    row.outboxFixes =
      sum.fixesPersisted - sum.fixesEvicted - sum.fixesRefused - sum.fixesAcknowledged
    row.setFreshness(sum.freshness)
    row.pushesRequested = session.pushes.requested
    row.pushesAnswered = session.pushes.answered
    let counters = session.dispatcher.counters()
    row.bytesSentPerSecond = Double(counters.bytesWritten - lastBytes.sent) / seconds
    row.bytesReceivedPerSecond = Double(counters.bytesRead - lastBytes.received) / seconds
    lastBytes = (counters.bytesWritten, counters.bytesRead)
    row.inFlight = counters.inFlight
    row.connections = counters.openConnections
    return LiveWatch.Fleet(metrics: sum, census: census, endings: endings, uploads: counters)
  }

  /// What the processes got of the processors, and what others did, in the measured time.
  var contention: ProcessorContention { processors.contention }

  private mutating func fillProcesses(
    _ row: inout TimelineRow, _ seconds: Double, responseP99: Percentile
  ) -> ProcessorWatch.Waits {
    let generator = ProcessMetrics.current()
    row.generatorCores = Self.cores(generator, since: lastGenerator, seconds)
    row.generatorResidentBytes = generator.residentBytes
    lastGenerator = generator
    let collector = handle.metrics()
    if let collector {
      row.collectorCores = lastCollector.map { Self.cores(collector, since: $0, seconds) }
      row.collectorResidentBytes = collector.residentBytes
      lastCollector = collector
    }
    return processors.look(
      collectorPID: handle.collectorPID, generator: generator, collector: collector,
      seconds: seconds, isMeasured: row.phase == "measure",
      responseP99: responseP99)
  }

  private static func cores(
    _ now: ProcessMetrics, since before: ProcessMetrics, _ seconds: Double
  ) -> Double {
    Double(now.cpuMicroseconds - before.cpuMicroseconds) / 1e6 / seconds
  }
}
