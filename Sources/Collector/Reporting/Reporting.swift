internal import Core
internal import ServerLogic
internal import Transport
internal import Wire

/// Reports the collector's state without changing it. For the loop's thread only.
final class Reporting {
  private let loop: EventLoop
  private let rpc: RPCServer
  private let runs: RunHost
  private let commits: Commits
  private let ingest: Ingest
  private let registry: PhoneRegistry
  private let sweeper: PushSweeper
  private let positions: PositionRequests
  /// The last result, kept because a display may ask more often than all phones can be inspected.
  private var lastLook: (at: WallInstant, value: Look)?

  private struct Look {
    var freshness: FreshnessIntegral
    var clocks: ClockOffsets
  }

  init(
    _ rpc: RPCServer, _ runs: RunHost, _ commits: Commits, _ ingest: Ingest,
    _ registry: PhoneRegistry, _ sweeper: PushSweeper, _ positions: PositionRequests
  ) {
    loop = rpc.loop
    self.rpc = rpc
    self.runs = runs
    self.commits = commits
    self.ingest = ingest
    self.registry = registry
    self.sweeper = sweeper
    self.positions = positions
  }

  func beginRun() { lastLook = nil }

  func state(isDraining: Bool) -> RunState {
    isDraining ? .draining : runs.run == nil ? .idle : .open
  }

  func health(isDraining: Bool) -> HealthReply {
    let detail =
      isDraining
      ? "draining"
      : commits.error?.description ?? runs.run.map { "serving run '\($0.id)'" }
        ?? "no run is open"
    return HealthReply(serving: !isDraining && commits.error == nil, detail: detail)
  }

  func account(_ request: SnapshotRequest, isDraining: Bool) -> SnapshotReply {
    var reply = SnapshotReply()
    reply.wall = loop.now
    reply.state = state(isDraining: isDraining)
    if let run = runs.run { fill(&reply, run, isFinal: request.histogram && !request.recent) }
    let (ingested, counted) = (ingest.counters, sheet)
    let committed = commits.counters
    let swept = sweeper.counters
    if request.histogram { reply.ingestLatency = SparseHistogram(ingested.ingest) }
    reply.counters += NamedCount.counts(of: counted)
    reply.counters += NamedCount.counts(of: rpc.counters)
    reply.counters += WireError.limits.map {
      NamedCount(limit: $0, UInt64(counted[.limits][$0] ?? 0))
    }
    reply.figures = ingested.figures + committed.figures + swept.figures
    reply.figures.append(NamedFigure(.dropProbability, ingest.admission.dropProbability))
    let usage = ProcessMetrics.current()
    reply.cpuMicroseconds = UInt64(usage.cpuMicroseconds)
    reply.rssBytes = UInt64(usage.residentBytes)
    reply.peakRSSBytes = UInt64(usage.peakResidentBytes)
    return reply
  }

  private var sheet: Sheet {
    var sheet = rpc.counters.sheet
    for part: Sheet? in [
      commits.counters.sheet, ingest.counters.sheet, sweeper.counters.sheet,
      positions.counters, registry.counters, runs.counters, runs.run?.backend.wake,
    ] { if let part { sheet += part } }
    sheet[.waitingForRate] = runs.run?.backend.waitingForRate ?? 0
    sheet[.uploadsWaiting] = commits.uploadsWaiting
    return sheet
  }

  private func fill(_ reply: inout SnapshotReply, _ run: OpenedRun, isFinal: Bool) {
    reply.runID = run.id
    reply.scenario = run.clock.scenario(at: loop.now)
    reply.batches = LedgerSide(run.backend.ledger.batches)
    reply.fixes = LedgerSide(run.backend.ledger.fixes)
    reply.hashSum = run.backend.ledger.hashSum
    let look = look(at: run, isFinal: isFinal)
    reply.freshness = [
      FreshnessMetrics(.installed, look.freshness.installed),
      FreshnessMetrics(.reachable, look.freshness.reachable),
    ]
    reply.counters = NamedCount.counts(of: look.clocks.sheet, .clocks)
    reply.pushes = NamedCount.counts(of: sheet, .wake)
  }

  /// Inspects every phone, at about 100 ns each. Unless the account is final, a recent result is
  /// reused, which limits inspections to about half a percent of the loop's time.
  private func look(at run: OpenedRun, isFinal: Bool) -> Look {
    let shortest = WallDuration.microseconds(Int64(run.backend.phones) * 20)
    if !isFinal, let last = lastLook, loop.now - last.at < shortest { return last.value }
    let value = Look(
      freshness: run.backend.freshness(at: run.clock.scenario(at: loop.now)),
      clocks: run.backend.clocks())
    lastLook = (loop.now, value)
    return value
  }

  func sample() -> CollectorSample {
    var sample = CollectorSample()
    sample.server = rpc.counters
    sample.handshakes = loop.handshakes
    sample.subscribers = sweeper.subscribers
    sample.sheet = sheet
    sample.take(ingest)
    sample.take(commits, at: loop.now)
    sample.lateness = BucketCounts(sweeper.counters.lateness)
    sample.run = runs.run.map { run in
      CollectorSample.Run(
        id: run.id, phones: run.backend.phones, speed: run.clock.speed,
        ledger: run.backend.ledger,
        freshness: look(at: run, isFinal: false).freshness,
        systems: Array(zip(run.systems, run.backend.parts.wake)))
    }
    return sample
  }
}
