internal import Core
package import Figures
internal import Fleet
internal import Scenarios
internal import Uploads

/// Composes the intervals of a live run, each a timeline row and a snapshot.
struct LiveWatch {
  private let plan: RunPlan
  private let server: String?
  /// The first phone of each cohort, then the number of phones; empty if cohorts are not shown.
  private let cohortStarts: [Int]
  private var total = LatencyHistograms()
  private var phase = ""
  private var last = Sheet()

  /// - Parameter server: the name of a server that this run did not start; otherwise nil.
  init(_ plan: RunPlan, server: String?, cohortStarts: [Int] = []) {
    self.plan = plan
    self.server = server
    self.cohortStarts = cohortStarts
  }

  /// - Parameter collectors: the loads of the collectors; empty if this run did not start them.
  mutating func interval(
    _ share: ShareInterval, _ collectors: [Snapshot.ProcessLoad],
    compressed: [TrafficFigures.Compressed] = []
  ) -> LiveInterval {
    let (scenario, moment) = (plan.scenario, share.moment)
    if phase == "ramp", moment.phase != "ramp" { total.reset() }
    phase = moment.phase
    total.merge(share.load.latency)
    let row = row(share, collectors.first)
    var snapshot = snapshot(share, collectors, row)
    snapshot.wire?.saved = saved(share, compressed)
    last = share.counts
    let lived = (moment.at - scenario.start).seconds / max(1, scenario.duration.seconds)
    return LiveInterval(
      row: row, share: min(1, lived), snapshot: snapshot, counts: share.counts,
      latency: share.load.latency)
  }

  private func row(
    _ share: ShareInterval, _ process: Snapshot.ProcessLoad?
  ) -> TimelineRow {
    let (moment, seconds) = (share.moment, share.moment.seconds)
    let (counters, latency) = (share.load.counters, share.load.latency)
    var row = TimelineRow()
    row.wallSeconds = moment.wallSeconds
    row.scenarioSeconds = Double(moment.at.microseconds) / 1e6
    row.phase = moment.phase
    row.offeredPerSecond = Double(counters[.offeredBatches]) / seconds
    row.acknowledgedPerSecond = Double(counters[.acknowledgedBatches]) / seconds
    row.failedPerSecond = Double(counters[.failedBatches]) / seconds
    row.attemptsPerSecond = Double(latency.attempt.total) / seconds
    row.responseP50Microseconds = latency.response.percentile(0.5).microseconds
    row.responseP99Microseconds = latency.response.percentile(0.99).microseconds
    row.generatorLagP99Microseconds = latency.generatorLag.percentile(0.99).microseconds
    row.outboxFixes =
      share.counts[.fixesPersisted] - share.counts[.fixesEvicted]
      - share.counts[.fixesRefused]
      - share.counts[.fixesAcknowledged]
    row.setFreshness(share.freshness)
    row.pushesRequested = share.counts[.pushesRequested]
    row.pushesAnswered = share.counts[.pushAnswers]
    row.bytesSentPerSecond = bytesPerSecond(share, .bytesSent, seconds)
    row.bytesReceivedPerSecond = bytesPerSecond(share, .bytesReceived, seconds)
    row.inFlight = share.counts[.inFlight]
    row.connections = share.counts[.openConnections]
    row.generatorCores = share.senders.compactMap(\.cores).reduce(0, +)
    row.generatorResidentBytes = share.senders.map(\.residentBytes).reduce(0, +)
    row.collectorCores = process?.cores
    row.collectorResidentBytes = process?.residentBytes
    return row
  }

  private func bytesPerSecond(
    _ share: ShareInterval, _ count: Count, _ seconds: Double
  ) -> Double {
    Double(share.counts[count] - last[count]) / seconds
  }

  private func snapshot(
    _ share: ShareInterval, _ collectors: [Snapshot.ProcessLoad], _ row: TimelineRow
  ) -> Snapshot {
    var snapshot = Snapshot(
      source: .load, name: plan.scenario.name,
      detail: plan.detail(of: share.phones) + (server.map { ", \($0)" } ?? ""))
    snapshot.progress = progress(share.moment.at, row)
    snapshot.rates = rates(
      row, Double(share.load.counters[.acknowledgedFixes]) / share.moment.seconds)
    let latency = RunRecord.Latency(total)
    snapshot.latency = latency
    snapshot.intervalP90Microseconds =
      share.load.latency.response.percentile(0.9).microseconds
    snapshot.freshness = RunRecord.Freshness(share.freshness)
    snapshot.phones = Snapshot.PhoneStates(share.counts, installed: share.phones)
    snapshot.cohorts = cohorts(share.freshness)
    snapshot.pushes = Snapshot.PushFunnel(share.counts, outcomes: true)
    snapshot.wire = wire(share, row)
    snapshot.errors = Self.errors(share.counts)
    snapshot.processes = Self.processes(share, collectors)
    snapshot.outlook = Outlook(
      levels: levels(snapshot, share.counts), latency: latency)
    return snapshot
  }

  private func cohorts(_ freshness: Fleet.FreshnessMetrics) -> [Snapshot.Cohort]? {
    let cohorts = plan.scenario.fleet.cohorts
    guard cohortStarts.count == cohorts.count + 1 else { return nil }
    return zip(cohorts, freshness.cohorts).enumerated().map { number, pair in
      let (cohort, metrics) = pair
      let total = metrics.total.seconds
      return Snapshot.Cohort(
        cohort.name, fresh: total > 0 ? metrics.fresh.seconds / total : nil,
        policy: plan.scenario.policies[cohort.policy].name, system: cohort.os.name,
        phones: cohortStarts[number + 1] - cohortStarts[number])
    }
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

  private func wire(_ share: ShareInterval, _ row: TimelineRow) -> Snapshot.WireMetrics {
    let now = share.counts
    var wire = Snapshot.WireMetrics()
    wire.connections = now[.openConnections]
    wire.connects = now[.connects]
    wire.bytesUp = now[.bytesSent]
    wire.bytesDown = now[.bytesReceived]
    wire.bytesUpPerSecond = row.bytesSentPerSecond ?? 0
    wire.bytesDownPerSecond = row.bytesReceivedPerSecond ?? 0
    let fixes = share.counts[.fixesAcknowledged]
    if fixes > 0 { wire.bytesPerFix = Double(now[.bytesSent]) / Double(fixes) }
    if share.counts[.payloadBytes] > 0 {
      wire.ratio =
        Double(share.counts[.payloadPlainBytes]) / Double(share.counts[.payloadBytes])
    }
    return wire
  }

  private func saved(
    _ share: ShareInterval, _ calls: [TrafficFigures.Compressed]
  ) -> [String: Int]? {
    var saved = TrafficFigures.saved(calls) ?? [:]
    if plan.scenario.encoding != .packed, share.counts[.payloadBytes] > 0 {
      saved["upload"] = share.counts[.payloadPlainBytes] - share.counts[.payloadBytes]
    }
    return saved.isEmpty ? nil : saved
  }

  private static func errors(_ counters: Sheet) -> [String: Int] {
    var errors = counters[.statuses]
    if counters[.connectFailures] > 0 { errors["connect failed"] = counters[.connectFailures] }
    return errors
  }

  /// Returns the load of each process. The second of several senders is named "generator 2".
  private static func processes(
    _ share: ShareInterval, _ collectors: [Snapshot.ProcessLoad]
  ) -> [Snapshot.ProcessLoad] {
    let senders = share.senders.enumerated().map { number, sender in
      var sender = sender
      sender.name = LiveRecord.generator(number)
      return sender
    }
    return senders + collectors
  }

  /// Returns the service levels' current results, without values that are known only at the end.
  private func levels(
    _ snapshot: Snapshot, _ counts: Sheet
  ) -> [ServiceLevelResult] {
    guard snapshot.progress.phase != "ramp" else { return [] }
    var record = RunRecord(plan)
    record.latency = snapshot.latency ?? .init()
    record.freshness = snapshot.freshness ?? .init()
    record.ledger.fixes.generated = counts[.fixesGenerated]
    var results = ServiceLevelJudge(plan.scenario).results(record)
    let share =
      counts[.fixesGenerated] > 0
      ? Double(counts[.fixesEvicted] + counts[.fixesRefused])
        / Double(counts[.fixesGenerated]) : 0
    for i in results.indices {
      switch results[i].name {
      // Losses are known only when nothing is in flight.
      case "lost": results[i].actual = nil
      case "undelivered":
        results[i].actual = share
        results[i].pass = share <= results[i].limit
      case "answered" where counts[.pushesEligible] > 0:
        let answered = Double(counts[.pushesAnswered]) / Double(counts[.pushesEligible])
        results[i].actual = answered
        results[i].pass = answered >= results[i].limit
      default: break
      }
    }
    return results
  }
}

extension RunPlan {
  package func firstSnapshot(_ source: Snapshot.Source) -> Snapshot {
    Snapshot(source: source, name: scenario.name, detail: detail)
  }

  var detail: String { detail(of: phones.count) }

  func detail(of phones: Int) -> String {
    let text = Figure.grouped(phones)
    return "\(text) phones at \(Figure.plain(scenario.speed)) ×, seed \(scenario.seed)"
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
    snapshot.outlook = Outlook(.early, "simulating the phones.")
    let events = fleet.metrics()[.events]
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
  /// Adds the fleet's figures. Call it between two windows of virtual time, while no shard runs.
  mutating func addFleet(_ fleet: PhoneFleet) {
    freshness = RunRecord.Freshness(fleet.freshness())
    phones = PhoneStates(
      fleet.census(), installed: fleet.phones.count)
  }
}

extension Snapshot.PhoneStates {
  init(_ census: Sheet, installed: Int) {
    self.init()
    foreground = census[.foreground]
    background = census[.background]
    suspended = census[.suspended]
    notRunning = census[.notRunning]
    moving = census[.moving]
    reachable = census[.reachable]
    offline = census[.offline]
    switchedOff = census[.switchedOff]
    self.installed = installed
  }
}
