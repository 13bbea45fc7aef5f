package import Measure
internal import Scenarios
internal import ServerLogic
internal import SimulationCore
internal import Transport
internal import Wire

/// What was there when the collector was last looked at, so that rates can be told.
struct CollectorWatch {
  var began: WallInstant?
  var last: WallInstant?
  var batches: UInt64 = 0
  var fixes: UInt64 = 0
  var failed: UInt64 = 0
  var bytesRead: UInt64 = 0
  var bytesWritten: UInt64 = 0
  var cpuMicroseconds: Int64 = 0
}

extension CollectorServer {
  /// Gives the figures since the last call to `body`, on the loop's thread; from any thread.
  package func look(_ body: @escaping @Sendable (Snapshot) -> Void) {
    loop.post { [self] in body(snapshotForWatcher()) }
  }

  private func snapshotForWatcher() -> Snapshot {
    let now = loop.now
    let seconds = watch.last.map { max(0.001, (now - $0).seconds) }
    watch.began = watch.began ?? now
    watch.last = now
    var snapshot = Snapshot(source: .collect, name: run?.id ?? "no run yet", detail: "")
    snapshot.progress.phase = "\(state)"
    snapshot.progress.elapsedSeconds = watch.began.map { (now - $0).seconds } ?? 0
    snapshot.outlook = outlookForWatcher
    if let run {
      snapshot.progress.scenarioTime = Self.universalTime(run.clock.scenario(at: now))
      fillRun(&snapshot, run, seconds)
    }
    fillWire(&snapshot, seconds)
    let usage = ProcessFigures.current()
    snapshot.processes = [
      .init(
        name: "collector",
        cores: seconds.map { Double(usage.cpuMicroseconds - watch.cpuMicroseconds) / 1e6 / $0 },
        residentBytes: usage.residentBytes)
    ]
    watch.cpuMicroseconds = usage.cpuMicroseconds
    return snapshot
  }

  private var outlookForWatcher: Outlook {
    if let storeError { return Outlook(.trouble, storeError.description) }
    if isDraining { return Outlook(.stopping, "open calls are answered, then it ends.") }
    return Outlook(.serving, run == nil ? "no run is open yet." : "a run is open.")
  }

  private func fillRun(_ snapshot: inout Snapshot, _ run: OpenedRun, _ seconds: Double?) {
    let ledger = run.backend.ledger
    var rates = Snapshot.Rates()
    if let seconds {
      rates.acknowledged = Self.rate(ledger.batches.distinct, watch.batches, seconds)
      rates.fixes = Self.rate(ledger.fixes.distinct, watch.fixes, seconds)
      rates.failed = Self.rate(failedAnswers, watch.failed, seconds)
    }
    rates.inFlight = desk.uploadsWaiting
    snapshot.rates = rates
    watch.batches = ledger.batches.distinct
    watch.fixes = ledger.fixes.distinct
    watch.failed = failedAnswers
    var batches = Snapshot.StoredBatches()
    batches.received = Int(ledger.batches.received)
    batches.distinct = Int(ledger.batches.distinct)
    batches.duplicate = Int(ledger.batches.duplicate)
    batches.rejected = Int(ledger.batches.rejected.reduce(0, +))
    batches.fixes = Int(ledger.fixes.distinct)
    batches.commits = Int(figures.commits)
    batches.commitP99Microseconds = figures.commit.percentile(0.99).microseconds.map(Double.init)
    snapshot.batches = batches
    var latency = RunRecord.Latency()
    latency.response = RunRecord.Figures(figures.ingest)
    snapshot.latency = latency
    snapshot.freshness = freshnessForWatcher(run)
    var pushes = Snapshot.PushFunnel()
    pushes.requested = run.backend.wake.requested
    pushes.withheld = run.backend.wake.withheld
    pushes.eligible = run.backend.wake.eligible
    pushes.answered = run.backend.wake.answered
    snapshot.pushes = pushes
  }

  private func freshnessForWatcher(_ run: OpenedRun) -> RunRecord.Freshness {
    let integral = freshness(of: run, isFinal: false)
    let limit = SimDuration.minutes(30)
    var freshness = RunRecord.Freshness()
    freshness.withinSeconds = limit.seconds
    freshness.installed = .init(integral.installed, threshold: limit, located: nil)
    freshness.reachable = .init(integral.reachable, threshold: limit, located: nil)
    return freshness
  }

  private func fillWire(_ snapshot: inout Snapshot, _ seconds: Double?) {
    let counters = rpc.counters
    var wire = Snapshot.WireFigures()
    wire.connections = counters.connections
    wire.connects = Int(counters.accepted)
    wire.bytesUp = Int(counters.bytesRead)
    wire.bytesDown = Int(counters.bytesWritten)
    if let seconds {
      wire.bytesUpPerSecond = Self.rate(counters.bytesRead, watch.bytesRead, seconds)
      wire.bytesDownPerSecond = Self.rate(counters.bytesWritten, watch.bytesWritten, seconds)
    }
    if let batches = snapshot.batches, batches.fixes > 0 {
      wire.bytesPerFix = Double(counters.bytesRead) / Double(batches.fixes)
    }
    watch.bytesRead = counters.bytesRead
    watch.bytesWritten = counters.bytesWritten
    snapshot.wire = wire
    for code in StatusCode.allCases where code != .ok {
      let count = Int(counters.statuses[Int(code.rawValue)])
      if count > 0 { snapshot.errors["\(code)"] = count }
    }
    if counters.protocolErrors > 0 {
      snapshot.errors["protocol errors"] = Int(counters.protocolErrors)
    }
  }

  private var failedAnswers: UInt64 {
    StatusCode.allCases.reduce(0) {
      $1 == .ok ? $0 : $0 + rpc.counters.statuses[Int($1.rawValue)]
    }
  }

  /// Zero where a run has begun anew since.
  private static func rate(_ now: UInt64, _ before: UInt64, _ seconds: Double) -> Double {
    now >= before ? Double(now - before) / seconds : 0
  }

  /// The collector is not told its phones' time zone.
  private static func universalTime(_ instant: SimInstant) -> String {
    Snapshot.Progress.timeOfDay(Double(instant.microseconds) / 1e6) + " UTC"
  }
}
