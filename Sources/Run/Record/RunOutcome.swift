package import Core
package import Figures
package import Fleet
internal import Phone
internal import Scenarios
package import Uploads

package struct RunOutcome: Sendable {
  @Boxed package var record: RunRecord
  package var timeline: [TimelineRow] = []
  package var log: [String] = []
  /// The log of latencies; nil without sockets.
  package var latencyLog: String?
  var share: RunShare?
  /// The intervals of a process that has no link to the other processes.
  var kept: [ShareInterval] = []
  var sweeps: [SimInstant] = []
  package var compared: ComparedTable?
  /// The batches of each part of the fleet, in phone order, for the demand of several processes.
  var batches: [DemandLog] = []
  var trace: RunTrace?
  /// The SLOs with too few samples, which the record leaves out.
  package internal(set) var undecided: [UndecidedLevel] = []
  /// The phones' account behind the record, to which accounts of other phones can be added.
  package internal(set) var account: FleetAccount?
  /// The server's account; nil if no server gave one.
  package internal(set) var server: ServerAccount?

  /// The sample for the map; nil if nothing was measured or this process had only some phones.
  package internal(set) var phones: PhoneSample?

  /// The checkpoint; nil if none was requested, or if the run stopped before its instant.
  package internal(set) var checkpoint: Checkpoint.Result?

  mutating func setFleet(_ account: FleetAccount, _ context: FleetContext) {
    self.account = account
    let scenario = context.scenario
    let metrics = account.metrics
    record.scenario.phones = account.phones.count
    record.setDigest(account.digest)
    record.ledger = account.ledger
    record.freshness = RunRecord.Freshness(metrics.freshness)
    record.freshness.cohorts = zip(scenario.fleet.cohorts, metrics.freshness.cohorts).map {
      .init(
        name: $0.name,
        share: $1.total > .zero ? $1.fresh.seconds / $1.total.seconds : nil)
    }
    record.stale = metrics.stale.phoneMinutes
    record.setFixSources(metrics.sources)
    record.events = metrics.events.map { EventFigures($0, metrics.counts) }
    record.clocks = ClockFigures(of: account.phones, context)
    record.map = RunRecord.Map(account.silence.map)
    timeline.setSilence(account.silence, from: scenario.measureStart)
    record.offered.batchesPerSecondMax = timeline.map(\.offeredPerSecond).max()
    if !scenario.replaysUploads {
      record.setEnergy(metrics, context, phones: account.phones)
    }
    record.setSystems(account, context)
    record.take(metrics.counts, of: .phones)
  }

  mutating func judge(
    ledger: [String] = [], invalid: [String] = [], interrupted: [String] = [],
    unverified: [String] = [], missed: [String] = []
  ) {
    let judgement = Judgement(
      losses: ledger, invalid: invalid, interrupted: interrupted, unverified: unverified,
      missed: missed, slo: record.slo)
    record.verdict = judgement.verdict
    record.reasons = judgement.reasons
  }
}

extension RunPlan {
  func interruption(at end: SimInstant) -> [String] {
    guard end < scenario.measureEnd else { return [] }
    return ["Stopped at \(ClockText.text(end, scenario.clock)) of simulated time."]
  }
}

extension RunRecord {
  mutating func setOffered(_ load: Sheet, seconds: Double) {
    offered.batches = load[.offeredBatches]
    offered.fixes = load[.offeredFixes]
    guard seconds > 0 else { return }
    offered.batchesPerSecond = Double(load[.offeredBatches]) / seconds
    offered.fixesPerSecond = Double(load[.offeredFixes]) / seconds
    throughput.batchesPerSecond = Double(load[.acknowledgedBatches]) / seconds
  }
}

extension RunRecord {
  /// Adds the mean and the busiest minute of phase `measure`, and one phone's daily load.
  mutating func setDemand(_ timeline: [TimelineRow], _ scenario: Scenario, phones: Int) {
    let peak = timeline.filter { $0.phase == "measure" }
      .max { $0.offeredPerSecond < $1.offeredPerSecond }
    let phoneDays = Double(phones) * phases.measure / 86_400
    var demand = SimulatedDemand()
    demand.batchesPerSecondMean = offered.batchesPerSecond
    demand.peakMinute = peak.map { peak in
      let at = SimInstant(microseconds: Int64(peak.scenarioSeconds * 1e6))
      return SimulatedDemand.Minute(
        batchesPerSecond: peak.offeredPerSecond, endsAt: ClockText.text(at, scenario.clock))
    }
    if phoneDays > 0 {
      demand.batchesPerPhoneDay = Double(offered.batches) / phoneDays
      demand.fixesPerPhoneDay = Double(offered.fixes) / phoneDays
    }
    self.demand = .simulated(demand)
  }
}

extension EventFigures {
  fileprivate init(_ metrics: EventMetrics, _ counts: Sheet) {
    self.init()
    wrong = counts[.eventsFalse]
    repeated = counts[.eventsRepeated]
    offline = counts[.eventsOffline]
    failed = counts[.eventsFailed]
    unanswered = counts[.eventsUnanswered]
    latency = SecondsSpread(milliseconds: metrics.latency)
    system = SecondsSpread(milliseconds: metrics.system)
    phone = SecondsSpread(milliseconds: metrics.phone)
    server = SecondsSpread(milliseconds: metrics.server)
    longestPart = [
      "system": metrics.longestSystem, "phone": metrics.longestPhone,
      "server": metrics.longestServer,
    ]
  }
}

extension ClockFigures {
  /// CK1: Counts the clocks that are wrong when the measured time ends.
  fileprivate init(of phones: Range<Int>, _ context: FleetContext) {
    self.init()
    for phone in phones {
      let error = context.clocks(context.cohort(of: phone)).error(
        of: PhoneID(rawValue: UInt32(phone)), at: context.scenario.measureEnd)
      off.add(error < .zero ? .zero - error : error)
    }
  }
}

extension RunRecord.ProcessUse {
  package init(_ metrics: ProcessMetrics, over wall: WallDuration) {
    self.init()
    cpuSeconds = Double(metrics.cpuMicroseconds) / 1e6
    coresUsed = wall > .zero ? cpuSeconds / wall.seconds : 0
    peakResidentBytes = metrics.peakResidentBytes
  }
}
