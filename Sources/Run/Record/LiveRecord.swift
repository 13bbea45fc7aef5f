internal import Core
internal import Figures
internal import Fleet
internal import Scenarios
internal import Transport
internal import Uploads
internal import Wire

struct EndedRun: Sendable {
  var plan: RunPlan
  var context: FleetContext
  var ended: EndedShares
  var began: SimInstant
  /// The collector's last account, or the error; nil for a user's backend.
  var server: Result<ServerAccount, CollectorRunError>?
  /// The pushes that the collector requested; known even without its last account.
  var wake: WakeAccount
  var collector: CollectorUse
  /// The limit of open files; nil if this process does not know it.
  var descriptorLimit: Int?
  var contention: ProcessorContention

  var end: SimInstant { ended.shares.map(\.fleet.livedUntil).min() ?? began }
  /// Why the server could not be verified although it was running; otherwise nil.
  var unverified: String? { ended.shares.lazy.compactMap(\.server.unverified).first }
}

struct CollectorUse: Sendable {
  var address: String
  var isOurs: Bool
  /// The usage of the collectors; nil if this run did not start them.
  var spent: ProcessMetrics?
  /// The usage of each collector; empty for a single collector.
  var parts: [Part] = []
  /// The usage of the database server; nil if this run did not start it.
  var database: ProcessMetrics?
  var compressed: [CollectorMethod: CompressedMessages] = [:]

  struct Part: Sendable {
    var address: String
    var spent: ProcessMetrics?
    var restarts: Int
    /// The uploads to this collector; nil if it is unknown which collector received which upload.
    var uploads: Sheet?
  }
}

/// Turns an ended live run into its record, with ledger, proof, validity and verdict.
struct LiveRecord {
  let run: EndedRun
  private let shares: [FleetAccount]
  let fleet: FleetAccount
  let target: TargetAccount?
  let sides: Reconciliation
  var plan: RunPlan { run.plan }

  /// - Throws: an error if the accounts do not belong to one fleet.
  init(_ run: EndedRun) throws(FleetAccountError) {
    self.run = run
    shares = run.ended.shares.map(\.fleet)
    fleet = try FleetAccount.merged(shares)
    target = run.ended.target
    // A target's answers are known for each phone. A collector reports on all phones together,
    // which cannot be compared with only some of the phones.
    guard fleet.isWhole || target != nil, run.unverified == nil else {
      sides = reconcile(shares, with: nil)
      return
    }
    switch run.server {
    case .success(let server)?: sides = reconcile(shares, with: server)
    case nil: sides = reconcile(shares, of: target)
    case .failure(let problem)?: sides = reconcile(shares, withoutServer: "\(problem)")
    }
  }

  func fill(_ outcome: inout RunOutcome) {
    let scenario = plan.scenario
    outcome.setFleet(fleet, run.context)
    outcome.server = try? run.server?.get()
    outcome.server?.wake = run.wake
    let clocks = outcome.server?.clocks
    outcome.record.clocks?.seen = clocks
    if plan.shard != nil { outcome.share = run.ended.shares.first }
    outcome.latencyLog = LatencyLog.merged(run.ended.shares.compactMap(\.latencyLog))
    outcome.record.ledger = sides.ledger
    outcome.record.target = target?.figures
    // `setWake` takes seconds, and only the leading process's result is read.
    if plan.leads { outcome.record.setWake(fleet, run.wake, until: run.end, run.context) }
    outcome.record.sender = SenderFigures.merged(run.ended.shares.compactMap(\.server.sender))
    let wake = outcome.record.wake
    outcome.record.sender?.setWaste(
      fleet, run.wake, wake, until: run.end, plan.scenario)
    outcome.trace = RunTrace(fleet, seen: run.wake.occasions, until: run.end, scenario)
    fillLoad(&outcome.record, outcome.timeline)
    outcome.sweeps = run.wake.requests
    outcome.setStorms(scenario, speed: scenario.speed)
    judge(&outcome)
  }

  var measuredSeconds: Double {
    let from = max(plan.scenario.measureStart, run.began)
    return max(0, (min(run.end, plan.scenario.measureEnd) - from).seconds)
  }

  private func fillLoad(_ record: inout RunRecord, _ timeline: [TimelineRow]) {
    let scenario = plan.scenario
    let lived = measuredSeconds
    record.setOffered(fleet.measured, seconds: lived / scenario.speed)
    record.machine.generators = generators(seconds: lived / scenario.speed)
    if run.ended.missing.isEmpty {
      record.throughput.batchesPerSecondMax = timeline.map(\.acknowledgedPerSecond).max()
    } else {
      // The timeline covers more phones than the other figures.
      record.offered.batchesPerSecondMax = nil
    }
    record.machine.collectorAddress = run.collector.address
    record.machine.collectorIsOurs = run.collector.isOurs
    let wall = WallDuration(seconds: record.timing.liveWallSeconds)
    if let spent = run.collector.spent {
      record.machine.processes["collector"] = RunRecord.ProcessUse(spent, over: wall)
    }
    fillCollectors(&record, over: wall)
    guard let sending = fleet.sending else { return }
    record.latency = RunRecord.Latency(sending.latency)
    record.figures.failures = sending.counts[.failures]
    for (n, spent) in sending.processes.enumerated() {
      record.machine.processes[Self.generator(n)] = RunRecord.ProcessUse(spent, over: wall)
    }
    fillContention(&record)
    fillTraffic(&record, sending)
  }

  private func fillCollectors(_ record: inout RunRecord, over wall: WallDuration) {
    if let spent = run.collector.database {
      record.machine.processes["database"] = RunRecord.ProcessUse(spent, over: wall)
    }
    let parts = run.collector.parts
    guard !parts.isEmpty else { return }
    record.machine.collectors = parts.enumerated().map { number, part in
      let name = CollectorGroup.name(number, of: parts.count)
      if let spent = part.spent {
        record.machine.processes[name] = RunRecord.ProcessUse(spent, over: wall)
      }
      var row = CollectorFacts(name: name, address: part.address)
      row.restarts = part.restarts
      row.acknowledgedBatches = part.uploads?[.acknowledged]
      row.retries = part.uploads?[.retries]
      row.connectFailures = part.uploads?[.connectFailures]
      return row
    }
  }

  private func fillContention(_ record: inout RunRecord) {
    let contention = run.contention
    guard !contention.isEmpty else { return }
    record.machine.othersCores = contention.othersCores
    record.machine.processes["generator"]?.waitedSeconds = contention.generatorWaited
    record.machine.processes["collector"]?.waitedSeconds = contention.collectorWaited
  }

  private func fillTraffic(_ record: inout RunRecord, _ sending: SendingAccount) {
    record.scenario.encoding = plan.scenario.encoding.rawValue
    record.scenario.dictionary = plan.dictionary?.id
    record.take(sending.counts, of: .sender)
    if sending.isSecured { record.take(sending.counts, of: .tls) }
    record.traffic.compressed = compressed(sending)
    let metrics = fleet.metrics
    guard metrics[.batchesAcknowledged] > 0, metrics[.fixesAcknowledged] > 0 else { return }
    let bytes = Double(sending.counts[.bytesSent])
    record.traffic.bytesPerBatch = bytes / Double(metrics[.batchesAcknowledged])
    record.traffic.bytesPerFix = bytes / Double(metrics[.fixesAcknowledged])
  }

  /// Returns compressed traffic by kind, uploads first, then by bytes saved; nil if there is none.
  private func compressed(_ sending: SendingAccount) -> [TrafficFigures.Compressed]? {
    var rows = TrafficFigures.rows(run.collector.compressed)
    rows.sort { ($1.saved, $0.kind) < ($0.saved, $1.kind) }
    let counts = sending.counts
    if counts[.payloads] > 0 {
      rows.insert(
        .init(
          kind: "upload", messages: counts[.payloads], plainBytes: counts[.payloadPlainBytes],
          bytes: counts[.payloadBytes]), at: 0)
    }
    return rows.isEmpty ? nil : rows
  }

  private func generators(seconds: Double) -> [GeneratorFacts]? {
    guard shares.count > 1 || plan.link != nil else { return nil }
    return shares.enumerated().map { number, share in
      var row = GeneratorFacts(name: Self.generator(number), phones: share.phones)
      if let sending = share.sending {
        row.fill(
          acknowledged: share.measured[.acknowledgedBatches], lag: sending.latency.generatorLag,
          seconds: seconds)
      }
      return row
    }
  }

  static func generator(_ number: Int) -> String {
    number == 0 ? "generator" : "generator \(number + 1)"
  }
}

extension TrafficFigures {
  static func rows(_ calls: [CollectorMethod: CompressedMessages]) -> [Compressed] {
    calls.map { method, messages in
      Compressed(
        kind: "\(method)", messages: messages.count, plainBytes: messages.plainBytes,
        bytes: messages.bytes)
    }
  }
}
