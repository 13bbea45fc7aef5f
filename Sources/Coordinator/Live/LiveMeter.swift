internal import Foundation
internal import Measure
internal import Scenarios
internal import SimulationCore
internal import Transport

/// Takes one interval per second: a timeline row, and a line for the observer of the run.
struct LiveMeter {
  private let plan: RunPlan
  private let session: LiveSession
  private let handle: CollectorHandle
  private var next: WallInstant
  private var last: WallInstant
  private var reader: ShareReader
  private var watch: LiveWatch
  private var lastCollector: ProcessMetrics?
  private var processors = ProcessorWatch(cores: ProcessInfo.processInfo.activeProcessorCount)
  /// Holds one row per interval so far.
  private(set) var timeline: [TimelineRow] = []
  /// Holds the processor time that the processes got, and what others used, in the measured time.
  var contention: ProcessorContention { processors.contention }

  init(_ plan: RunPlan, session: LiveSession, handle: CollectorHandle) {
    self.plan = plan
    self.session = session
    self.handle = handle
    last = max(plan.wall(), session.clock.wallStart)
    next = last + .seconds(1)
    lastCollector = handle.metrics()
    reader = ShareReader(plan, session: session)
    watch = LiveWatch(
      plan, collector: handle.isOurs ? nil : "\(handle.endpoint)",
      uploads: session.dispatcher.counters())
  }

  /// - Parameter phase: nil to choose ramp or measure by the clock.
  mutating func interval(at now: WallInstant, phase: String?) -> LiveInterval? {
    guard now >= next else { return nil }
    let seconds = (now - last).seconds
    last = now
    while next <= now { next += .seconds(1) }
    let at = session.clock.scenario(at: now)
    let moment = LiveWatch.Moment(
      at: at, wallSeconds: (now - session.clock.wallStart).seconds, seconds: seconds,
      phase: phase ?? (at < plan.scenario.measureStart ? "ramp" : "measure"))
    var share = reader.read(at: at, over: seconds)
    handle.checkLedger(onViolation: session.violationLog.note)
    let collector = readProcesses(&share, moment)
    session.recorder.logInterval(at: now)
    let interval = watch.interval(share, collector, moment)
    timeline.append(interval.row)
    return interval
  }

  /// Reads the processor use of the collector, if this run owns it, and the time for which both
  /// processes waited.
  private mutating func readProcesses(
    _ share: inout ShareInterval, _ moment: LiveWatch.Moment
  ) -> Snapshot.ProcessLoad? {
    let now = handle.metrics()
    let waits = processors.look(
      collectorPID: handle.collectorPID, generator: reader.process, collector: now,
      seconds: moment.seconds, isMeasured: moment.phase == "measure",
      responseP99: share.load.latency.response.percentile(0.99))
    share.senders[0].waited = waits.generator
    guard let now else { return nil }
    defer { lastCollector = now }
    return Snapshot.ProcessLoad(
      name: "collector", cores: lastCollector.map { now.cores(since: $0, moment.seconds) },
      residentBytes: now.residentBytes, waited: waits.collector)
  }
}
