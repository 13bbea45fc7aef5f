internal import Fleet
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
  var trail: RunTrail?

  init(record: RunRecord) { self.record = record }

  mutating func setFleet(_ fleet: PhoneFleet, _ scenario: Scenario) {
    let figures = fleet.figures()
    record.ledger = fleet.ledger()
    record.setFreshness(figures.freshness)
    record.freshness.cohorts = zip(scenario.fleet.cohorts, figures.freshness.cohorts).map {
      .init(
        name: $0.name,
        share: $1.total > .zero ? $1.fresh.seconds / $1.total.seconds : nil)
    }
    record.stale = figures.stale.phoneMinutes
    let silence = fleet.silence()
    record.map = RunRecord.Map(silence.map)
    timeline.setSilence(silence, from: scenario.measureStart)
    record.offered.batchesPerSecondMax = timeline.map(\.offeredPerSecond).max()
    record.setEnergy(figures.energy, fleet.context)
    record.errors = [
      "uploads-offline": figures.uploadsOffline, "uploads-failed": figures.uploadsFailed,
      "answers-lost": figures.uploadsLost, "background-kills": figures.kills,
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

/// Shows that what the phones know to be acknowledged is what the server holds.
///
/// Sets are compared, not only counts. What a phone never heard an answer to may be held or not:
/// the server is asked for each such batch.
struct StoredProof {
  /// Hash over what the server must hold.
  private(set) var expectedHash: UInt64
  private(set) var unknownHeld = 0
  private(set) var unknownHeldFixes = 0
  private(set) var acknowledgedMissing: [BatchID] = []

  /// - Parameter restored: the newest sequence of each phone that the server was told before the
  ///   run; those are no part of it.
  init(_ fleet: PhoneFleet, restored: [UInt32], stored: (BatchID) -> Bool) {
    expectedHash = fleet.figures().acknowledgedHash
    var hash: UInt64 = 0
    var held = 0
    var heldFixes = 0
    var missing: [BatchID] = []
    fleet.inOrder { shard in
      shard.unanswered { id, batchHash, fixes in
        guard stored(id) else { return }
        hash &+= batchHash
        held += 1
        heldFixes += fixes
      }
      shard.acknowledged { phone, sequence in
        let before = restored[Int(phone.rawValue)]
        guard before < sequence else { return }
        for number in (before + 1)...sequence {
          let id = BatchID(phone: phone, epoch: 1, sequence: number)
          if !stored(id) { missing.append(id) }
        }
      }
    }
    expectedHash &+= hash
    unknownHeld = held
    unknownHeldFixes = heldFixes
    acknowledgedMissing = missing
  }

  /// The same from the journal of a fleet, over all its lives.
  init(_ journal: JournalContent, stored: (BatchID) -> Bool) {
    expectedHash = 0
    for (id, batch) in journal.batches {
      if stored(id) {
        expectedHash &+= batch.submission.hash
        if batch.fate != .acknowledged {
          unknownHeld += 1
          unknownHeldFixes += Int(batch.submission.fixCount)
        }
      } else if batch.fate == .acknowledged {
        acknowledgedMissing.append(id)
      }
    }
    acknowledgedMissing.sort { ($0.phone, $0.sequence) < ($1.phone, $1.sequence) }
  }

  /// Sentences; empty: the sets are equal but for what nobody knows.
  func differences(hashSum: UInt64) -> [String] {
    var found: [String] = []
    if !acknowledgedMissing.isEmpty {
      let names = acknowledgedMissing.prefix(5).map {
        "phone \($0.phone.rawValue) batch \($0.sequence)"
      }
      found.append(
        """
        \(acknowledgedMissing.count) acknowledged batches are not held by the collector, among \
        them \(names.joined(separator: ", ")).
        """)
    }
    if hashSum != expectedHash {
      found.append("The hash over the stored batches differs from the phones' own.")
    }
    return found
  }
}

extension RunRecord {
  mutating func setOffered(_ before: FleetFigures, _ after: FleetFigures, seconds: Double) {
    offered.batches = after.uploadsStarted - before.uploadsStarted
    offered.fixes = after.fixesPersisted - before.fixesPersisted
    guard seconds > 0 else { return }
    offered.batchesPerSecond = Double(offered.batches) / seconds
    offered.fixesPerSecond = Double(offered.fixes) / seconds
    let acknowledged = after.batchesAcknowledged - before.batchesAcknowledged
    throughput.batchesPerSecond = Double(acknowledged) / seconds
    throughput.fixesPerSecond =
      Double(after.fixesAcknowledged - before.fixesAcknowledged) / seconds
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
        batchesPerSecond: peak.offeredPerSecond, endsAt: ScenarioClock.text(at, scenario.clock))
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
  init(_ figures: ProcessFigures, over wall: WallDuration) {
    self.init()
    cpuSeconds = Double(figures.cpuMicroseconds) / 1e6
    coresUsed = wall > .zero ? cpuSeconds / wall.seconds : 0
    peakResidentBytes = figures.peakResidentBytes
  }
}

/// Judges a record by the scenario's promises.
struct ServiceLevelJudge {
  var levels: ServiceLevels

  init(_ levels: ServiceLevels) { self.levels = levels }

  func results(_ record: RunRecord) -> [ServiceLevelResult] {
    var results: [ServiceLevelResult] = []
    if let limit = levels.responseP99 {
      results.append(
        .atMost(
          Double(limit.microseconds), record.latency.response.p99.map(Double.init),
          name: "responseP99", unit: "µs"))
    }
    if let limit = levels.lost {
      results.append(
        .atMost(
          Double(limit), Double(record.ledger.fixes.lost), name: "lost", unit: "fixes"))
    }
    if let limit = levels.undelivered {
      let fixes = record.ledger.fixes
      let share = fixes.generated > 0 ? Double(fixes.undelivered) / Double(fixes.generated) : 0
      results.append(.atMost(limit, share, name: "undelivered", unit: "share"))
    }
    if let level = levels.freshness {
      results.append(
        .atLeast(
          level.share, population(level.of, record).share, name: "freshness", unit: "share"))
    }
    if let level = levels.located {
      results.append(
        .atLeast(
          level.share, population(level.of, record).located, name: "located", unit: "share"))
    }
    if let limit = levels.answered {
      results.append(
        .atLeast(limit, record.wake.answered?.value, name: "answered", unit: "share"))
    }
    return results
  }

  private func population(
    _ of: Population, _ record: RunRecord
  ) -> RunRecord.Freshness.Population {
    switch of {
    case .installed: record.freshness.installed
    case .reachable: record.freshness.reachable
    case .moving: record.freshness.moving
    }
  }
}
