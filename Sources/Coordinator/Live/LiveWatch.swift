internal import Fleet
package import Measure
internal import PushService
internal import Scenarios
internal import SimulationCore
internal import Telemetry
internal import Transport
internal import Wire

/// Makes a snapshot of a live run an interval, from what the meter has just read.
struct LiveWatch {
  /// What the meter found on the shards and at the dispatcher.
  struct Fleet {
    var metrics: FleetMetrics
    var census: FleetCensus
    /// Of each shard, those that are new since the last interval.
    var endings: [ArraySlice<PushEnding>]
    var uploads: UploadCounters
  }

  private let plan: RunPlan
  private let session: LiveSession
  private let isOurs: Bool
  private let address: String
  private var outcomes: [WakeOutcome: Int] = [:]
  private var endingsSeen: [Int] = []
  private var lastUploads = UploadCounters()

  init(_ plan: RunPlan, session: LiveSession, handle: CollectorHandle) {
    self.plan = plan
    self.session = session
    isOurs = handle.isOurs
    address = "\(handle.endpoint)"
  }

  func endingsSeen(ofShard number: Int) -> Int {
    number < endingsSeen.count ? endingsSeen[number] : 0
  }

  mutating func snapshot(
    _ at: SimInstant, _ row: TimelineRow, _ fleet: Fleet, latency: RunRecord.Latency,
    interval: LiveMeter.Extras, seconds: Double
  ) -> Snapshot {
    count(fleet.endings)
    let scenario = plan.scenario
    var snapshot = Snapshot(
      source: .load, name: scenario.name,
      detail: plan.detail + (isOurs ? "" : ", collector \(address)"))
    snapshot.progress = progress(at, row)
    snapshot.rates = rates(row, Double(interval.fixes) / seconds)
    snapshot.latency = latency
    snapshot.intervalP90Microseconds = interval.p90
    snapshot.freshness = RunRecord.Freshness(fleet.metrics.freshness)
    snapshot.phones = Snapshot.PhoneStates(fleet.census, installed: scenario.fleet.phones)
    var funnel = session.pushes.funnel(at: at, scenario)
    funnel.outcomes = Dictionary(
      uniqueKeysWithValues: outcomes.map { ($0.key.rawValue, $0.value) })
    snapshot.pushes = funnel
    snapshot.wire = wire(fleet, seconds)
    snapshot.errors = Self.errors(fleet.uploads)
    snapshot.processes = Self.processes(row, interval.waits)
    snapshot.outlook = Outlook(
      levels: levels(snapshot, fleet.metrics, funnel), latency: latency)
    lastUploads = fleet.uploads
    return snapshot
  }

  private mutating func count(_ endings: [ArraySlice<PushEnding>]) {
    for part in endings { for ending in part { outcomes[ending.outcome, default: 0] += 1 } }
    endingsSeen = endings.map(\.endIndex)
  }

  private func progress(_ at: SimInstant, _ row: TimelineRow) -> Snapshot.Progress {
    let scenario = plan.scenario
    var progress = Snapshot.Progress()
    progress.phase = row.phase
    progress.elapsedSeconds = max(0, row.wallSeconds)
    progress.scenarioTime = ClockText.timeOfDay(at, scenario.clock)
    guard row.phase != "drain" else { return progress }
    progress.share = min(1, (at - scenario.start).seconds / max(1, scenario.duration.seconds))
    progress.leftSeconds = max(0, (scenario.measureEnd - at).seconds / scenario.speed)
    return progress
  }

  private func rates(_ row: TimelineRow, _ fixesPerSecond: Double) -> Snapshot.Rates {
    var rates = Snapshot.Rates()
    rates.offered = row.offeredPerSecond
    rates.acknowledged = row.acknowledgedPerSecond
    rates.failed = row.failedPerSecond
    rates.fixes = fixesPerSecond
    rates.inFlight = row.inFlight
    rates.outboxFixes = row.outboxFixes
    return rates
  }

  private func wire(_ fleet: Fleet, _ seconds: Double) -> Snapshot.WireMetrics {
    let now = fleet.uploads
    var wire = Snapshot.WireMetrics()
    wire.connections = now.openConnections
    wire.connects = Int(now.connects)
    wire.bytesUp = Int(now.bytesWritten)
    wire.bytesDown = Int(now.bytesRead)
    wire.bytesUpPerSecond = Double(now.bytesWritten - lastUploads.bytesWritten) / seconds
    wire.bytesDownPerSecond = Double(now.bytesRead - lastUploads.bytesRead) / seconds
    let fixes = fleet.metrics.fixesAcknowledged
    if fixes > 0 { wire.bytesPerFix = Double(now.bytesWritten) / Double(fixes) }
    wire.ratio = session.compressionRatio
    return wire
  }

  private static func errors(_ counters: UploadCounters) -> [String: Int] {
    var errors: [String: Int] = [:]
    for code in StatusCode.allCases where code != .ok {
      let count = Int(counters.statuses[Int(code.rawValue)])
      if count > 0 { errors["\(code)"] = count }
    }
    if counters.connectFailures > 0 { errors["connect failed"] = Int(counters.connectFailures) }
    return errors
  }

  private static func processes(
    _ row: TimelineRow, _ waits: ProcessorWatch.Waits
  ) -> [Snapshot.ProcessLoad] {
    var processes = [
      Snapshot.ProcessLoad(
        name: "generator", cores: row.generatorCores,
        residentBytes: row.generatorResidentBytes ?? 0,
        waited: waits.generator)
    ]
    if let bytes = row.collectorResidentBytes {
      processes.append(
        .init(
          name: "collector", cores: row.collectorCores, residentBytes: bytes,
          waited: waits.collector))
    }
    return processes
  }

  /// The scenario's promises by what is known so far; what only the end can tell has no value.
  private func levels(
    _ snapshot: Snapshot, _ metrics: FleetMetrics, _ funnel: Snapshot.PushFunnel
  ) -> [ServiceLevelResult] {
    guard snapshot.progress.phase != "ramp" else { return [] }
    var record = RunRecord(plan)
    record.latency = snapshot.latency ?? .init()
    record.freshness = snapshot.freshness ?? .init()
    record.ledger.fixes.generated = metrics.fixesGenerated
    var results = ServiceLevelJudge(plan.scenario.slo).results(record)
    let share =
      metrics.fixesGenerated > 0
      ? Double(metrics.fixesEvicted + metrics.fixesRefused) / Double(metrics.fixesGenerated) : 0
    for i in results.indices {
      switch results[i].name {
      // Both sides are compared when nothing is in flight any more.
      case "lost": results[i].actual = nil
      case "undelivered":
        results[i].actual = share
        results[i].pass = share <= results[i].limit
      case "answered" where funnel.eligible > 0:
        let answered = Double(funnel.answered) / Double(funnel.eligible)
        results[i].actual = answered
        results[i].pass = answered >= results[i].limit
      default: break
      }
    }
    return results
  }
}

extension RunPlan {
  /// Before anything has happened.
  package func firstSnapshot(_ source: Snapshot.Source) -> Snapshot {
    Snapshot(source: source, name: scenario.name, detail: detail)
  }

  /// "500 phones at 60 ×, seed 42".
  var detail: String {
    let phones = Figure.grouped(scenario.fleet.phones)
    return "\(phones) phones at \(Figure.plain(scenario.speed)) ×, seed \(scenario.seed)"
  }

  func virtualSnapshot(
    _ phase: String, _ at: SimInstant, share: Double, _ fleet: PhoneFleet, wall: WallDuration
  ) -> Snapshot {
    let isSimulation = phase == "simulate"
    var snapshot = Snapshot(
      source: isSimulation ? .simulate : .load, name: scenario.name, detail: detail)
    snapshot.progress.phase = phase
    snapshot.progress.share = min(1, share)
    snapshot.progress.elapsedSeconds = wall.seconds
    if share > 0 { snapshot.progress.leftSeconds = wall.seconds * (1 - share) / share }
    snapshot.progress.scenarioTime = ClockText.timeOfDay(at, scenario.clock)
    snapshot.outlook = Outlook(.early, "the phones live in virtual time.")
    let events = fleet.metrics().events
    snapshot.virtual = Snapshot.VirtualPace(
      events: events, eventsPerSecond: wall > .zero ? Double(events) / wall.seconds : 0)
    snapshot.processes = [
      .init(
        name: "generator", cores: nil, residentBytes: ProcessMetrics.current().residentBytes)
    ]
    return snapshot
  }
}

extension Snapshot {
  /// Between two windows of virtual time, when nobody lives.
  mutating func addFleet(_ fleet: PhoneFleet) {
    freshness = RunRecord.Freshness(fleet.metrics().freshness)
    phones = PhoneStates(
      fleet.census(), installed: fleet.context.scenario.fleet.phones)
  }
}

extension Snapshot.PhoneStates {
  init(_ census: FleetCensus, installed: Int) {
    self.init()
    foreground = census.foreground
    background = census.background
    suspended = census.suspended
    notRunning = census.notRunning
    moving = census.moving
    reachable = census.reachable
    offline = census.offline
    switchedOff = census.switchedOff
    self.installed = installed
  }
}
