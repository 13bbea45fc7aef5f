internal import Measure
internal import ServerLogic
internal import SimulationCore
internal import Transport
internal import Wire

/// What the collector says of itself.
extension CollectorServer {
  func health(_ call: ServerCall) {
    let detail =
      isDraining
      ? "draining"
      : storeError?.description ?? run.map { "serving run '\($0.id)'" } ?? "no run is open"
    answer(call, HealthReply(serving: !isDraining && storeError == nil, detail: detail))
  }

  func snapshot(_ call: ServerCall, _ request: SnapshotRequest) {
    publishAnswers()
    var reply = SnapshotReply()
    reply.wall = loop.now
    reply.state = state
    if let run {
      reply.runID = run.id
      let now = run.clock.scenario(at: loop.now)
      reply.scenario = now
      reply.batches = LedgerSide(run.backend.ledger.batches)
      reply.fixes = LedgerSide(run.backend.ledger.fixes)
      reply.hashSum = run.backend.ledger.hashSum
      let freshness = freshness(
        of: run, isFinal: request.histogram && !request.recent)
      reply.freshness = [
        FreshnessFigures("installed", freshness.installed),
        FreshnessFigures("reachable", freshness.reachable),
      ]
      reply.pushes = Self.counts(of: run.backend)
    }
    if request.histogram { reply.ingestLatency = SparseHistogram(figures.ingest) }
    reply.counters = figures.counts + Self.counts(of: rpc.counters)
    reply.counters += batchLimits.hits.map { NamedCount("limit.\($0.name)", $0.count) }
    reply.counters.append(NamedCount("uploadsWaiting", UInt64(desk.uploadsWaiting)))
    reply.figures = figures.figures
    reply.figures.append(NamedFigure("admission.dropProbability", admission.dropProbability))
    let usage = ProcessFigures.current()
    reply.cpuMicroseconds = UInt64(usage.cpuMicroseconds)
    reply.rssBytes = UInt64(usage.residentBytes)
    reply.peakRSSBytes = UInt64(usage.peakResidentBytes)
    answer(call, reply)
  }

  /// Looks at every phone, some 100 ns each: for an account, anew; else as far apart as keeps the
  /// loop's share for it near half a percent, for all who ask together.
  func freshness(of run: OpenedRun, isFinal: Bool) -> FreshnessIntegral {
    let shortest = WallDuration.microseconds(Int64(run.backend.phones) * 20)
    if !isFinal, let last = figures.freshness, loop.now - last.at < shortest { return last.value }
    let value = run.backend.freshness(at: run.clock.scenario(at: loop.now))
    figures.freshness = (loop.now, value)
    return value
  }

  private static func counts(of backend: Backend) -> [NamedCount] {
    let wake = backend.wake
    return [
      NamedCount("requested", UInt64(wake.requested)),
      NamedCount("eligible", UInt64(wake.eligible)),
      NamedCount("answered", UInt64(wake.answered)),
      NamedCount("withheld", UInt64(wake.withheld)),
      NamedCount("withheldEligible", UInt64(wake.withheldEligible)),
      NamedCount("withheldAnswered", UInt64(wake.withheldAnswered)),
      NamedCount("refused", UInt64(wake.refused)),
      NamedCount("unreachableEligible", UInt64(backend.unreachable.eligible)),
      NamedCount("unreachableAnswered", UInt64(backend.unreachable.answered)),
      NamedCount("waitingForRate", UInt64(backend.waitingForRate)),
    ]
  }

  private static func counts(of server: ServerCounters) -> [NamedCount] {
    var counts = [
      NamedCount("connectionsAccepted", server.accepted),
      NamedCount("connections", UInt64(server.connections)),
      NamedCount("calls", server.calls),
      NamedCount("inFlightBytes", UInt64(server.inFlightBytes)),
      NamedCount("bytesRead", server.bytesRead),
      NamedCount("bytesWritten", server.bytesWritten),
      NamedCount("cancelled", server.cancelled),
      NamedCount("protocolErrors", server.protocolErrors),
    ]
    counts += server.limitHits.map { NamedCount("limit.\($0.name)", $0.count) }
    for code in StatusCode.allCases where server.statuses[Int(code.rawValue)] > 0 {
      counts.append(NamedCount("status.\(code)", server.statuses[Int(code.rawValue)]))
    }
    return counts
  }
}

extension LedgerSide {
  fileprivate init(_ column: CollectorLedger.Column) {
    self.init(
      received: column.received, distinct: column.distinct, duplicate: column.duplicate,
      rejected: Rejection.allCases.compactMap { reason in
        let count = column.rejected[Int(reason.rawValue)]
        return count > 0 ? NamedCount("\(reason)", count) : nil
      })
  }
}

extension FreshnessFigures {
  /// Shares are of phone-time, never included; `within.1800` is fresh(30 min).
  fileprivate init(_ population: String, _ ages: AgeIntegral) {
    var figures = [NamedFigure("phoneSeconds", ages.total.seconds)]
    if let never = ages.neverShare { figures.append(NamedFigure("never", never)) }
    for threshold in ages.thresholds {
      guard let share = ages.share(within: threshold) else { continue }
      figures.append(NamedFigure("within.\(Int(threshold.seconds))", share))
    }
    for (name, q) in [("p50", 0.5), ("p95", 0.95), ("p99", 0.99)] {
      if let age = ages.quantile(q) { figures.append(NamedFigure(name, age)) }
    }
    self.init(population: population, figures: figures)
  }
}

extension SparseHistogram {
  /// The non-empty slots of a histogram without censored values.
  init(_ histogram: Histogram) {
    let sparse = histogram.sparse
    self.init(
      indices: sparse.slots.map { UInt32($0.index) },
      counts: sparse.slots.map { UInt64($0.count) }, min: UInt64(sparse.min ?? 0),
      max: UInt64(sparse.max ?? 0), sum: UInt64(sparse.sum))
  }
}
