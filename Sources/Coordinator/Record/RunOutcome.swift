package import Fleet
package import Measure
internal import Scenarios
internal import SimulationCore
internal import Telemetry

/// What a run leaves behind.
package struct RunOutcome: Sendable {
  package var record: RunRecord
  package var timeline: [TimelineRow] = []
  package var log: [String] = []
  /// The text of `latency.hlog`; nil without sockets.
  package var latencyLog: String?
  /// When the sweep was that requested each push.
  var sweeps: [SimInstant] = []
  /// What each block of phones adds to a comparison; nil when none was asked for.
  package var compared: ComparedTable?
  /// What the phones did, when it was asked for.
  var trace: RunTrace?
  /// What the record rests on: the phones' account and their server's, to be added to those of
  /// other ranges of phones.
  package internal(set) var account: FleetAccount?
  package internal(set) var server: ServerAccount?

  init(record: RunRecord) { self.record = record }

  /// Fills in what the phones know.
  mutating func setFleet(_ account: FleetAccount, _ context: FleetContext) {
    self.account = account
    let scenario = context.scenario
    let metrics = account.metrics
    record.setDigest(account.digest)
    record.ledger = account.ledger
    record.setFreshness(metrics.freshness)
    record.freshness.cohorts = zip(scenario.fleet.cohorts, metrics.freshness.cohorts).map {
      .init(
        name: $0.name,
        share: $1.total > .zero ? $1.fresh.seconds / $1.total.seconds : nil)
    }
    record.stale = metrics.stale.phoneMinutes
    record.map = RunRecord.Map(account.silence.map)
    timeline.setSilence(account.silence, from: scenario.measureStart)
    record.offered.batchesPerSecondMax = timeline.map(\.offeredPerSecond).max()
    record.setEnergy(metrics.energy, context)
    record.errors = [
      "uploads-offline": metrics.uploadsOffline, "uploads-failed": metrics.uploadsFailed,
      "answers-lost": metrics.uploadsLost, "background-kills": metrics.kills,
    ]
  }

  mutating func judge(
    ledger: [String] = [], invalid: [String] = [], interrupted: [String] = []
  ) {
    let judgement = Judgement(
      losses: ledger, invalid: invalid, interrupted: interrupted, slo: record.slo)
    record.verdict = judgement.verdict
    record.reasons = judgement.reasons
  }
}

extension RunRecord {
  /// Fills in what was offered and answered in `seconds` of measured time.
  mutating func setOffered(_ load: MeasuredLoad, seconds: Double) {
    offered.batches = load.offeredBatches
    offered.fixes = load.offeredFixes
    guard seconds > 0 else { return }
    offered.batchesPerSecond = Double(load.offeredBatches) / seconds
    offered.fixesPerSecond = Double(load.offeredFixes) / seconds
    throughput.batchesPerSecond = Double(load.acknowledgedBatches) / seconds
    throughput.fixesPerSecond = load.acknowledgedFixes.map { Double($0) / seconds }
  }
}

extension RunRecord {
  /// What the fleet asks of a backend: the mean and the busiest scenario minute of `measure`, and
  /// what one phone adds in a day.
  mutating func setDemand(_ timeline: [TimelineRow], _ scenario: Scenario) {
    let peak = timeline.filter { $0.phase == "measure" }
      .max { $0.offeredPerSecond < $1.offeredPerSecond }
    let phoneDays = Double(scenario.fleet.phones) * phases.measure / 86_400
    let minute = peak.map { peak in
      let at = SimInstant(microseconds: Int64(peak.scenarioSeconds * 1e6))
      return SimulatedDemand.Minute(
        batchesPerSecond: peak.offeredPerSecond, endsAt: ClockText.text(at, scenario.clock))
    }
    var demand = SimulatedDemand(
      batchesPerSecondMean: offered.batchesPerSecond, peakMinute: minute)
    if phoneDays > 0 {
      demand.batchesPerPhoneDay = Double(offered.batches) / phoneDays
      demand.fixesPerPhoneDay = Double(offered.fixes) / phoneDays
    }
    self.demand = .simulated(demand)
  }
}

extension RunRecord.ProcessUse {
  init(_ metrics: ProcessMetrics, over wall: WallDuration) {
    self.init()
    cpuSeconds = Double(metrics.cpuMicroseconds) / 1e6
    coresUsed = wall > .zero ? cpuSeconds / wall.seconds : 0
    peakResidentBytes = metrics.peakResidentBytes
  }
}
