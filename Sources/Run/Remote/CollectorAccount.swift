internal import Collector
internal import Core
package import Figures
package import Wire

package struct CollectorAccount: Equatable, Sendable {
  let reply: SnapshotReply
  /// Why the collector cannot serve properly; nil if it can.
  let problem: String?

  package init(_ reply: SnapshotReply, problem: String? = nil) {
    self.reply = reply
    self.problem = problem
  }

  /// Creates an account from two replies. A draining collector counts as healthy.
  package init(_ reply: SnapshotReply, _ health: HealthReply) {
    let isWell = health.serving || reply.state == .draining
    self.init(reply, problem: isWell ? nil : health.detail)
  }

  /// - Parameter earlier: the account since which rates are computed, by the collector's clock; nil
  ///   if there is none.
  /// - Parameter detail: the text next to the run's name, such as the collector's address.
  package func snapshot(
    since earlier: CollectorAccount?, first: CollectorAccount, detail: String
  ) -> Snapshot {
    var snapshot = Snapshot(
      source: .collect, name: reply.runID.isEmpty ? "no run yet" : reply.runID, detail: detail)
    snapshot.progress.phase = "\(reply.state)"
    snapshot.progress.elapsedSeconds = Swift.max(0, (reply.wall - first.reply.wall).seconds)
    snapshot.outlook = outlook
    let interval = earlier.flatMap { Interval(from: $0, to: self) }
    if !reply.runID.isEmpty { fillRun(&snapshot, interval) }
    snapshot.wire = wire(interval)
    snapshot.errors = errors
    snapshot.processes = [
      .init(
        name: "collector",
        cores: interval.map {
          Double($0.grown { Int($0.reply.cpuMicroseconds) }) / 1e6 / $0.seconds
        },
        residentBytes: Int(reply.rssBytes))
    ]
    return snapshot
  }

  private var outlook: Outlook {
    if let problem { return Outlook(.problem, problem) }
    switch reply.state {
    case .draining: return Outlook(.stopping, "finishing open calls.")
    case .idle, .open:
      return Outlook(.serving, reply.runID.isEmpty ? "no run is open yet." : "a run is open.")
    }
  }

  // MARK: Changes

  private struct Interval {
    let from: CollectorAccount
    let to: CollectorAccount
    let seconds: Double

    /// Creates the difference; nil if no time has passed, or if `to` is of another process.
    init?(from: CollectorAccount, to: CollectorAccount) {
      seconds = (to.reply.wall - from.reply.wall).seconds
      guard seconds > 0, to.reply.cpuMicroseconds >= from.reply.cpuMicroseconds else { return nil }
      self.from = from
      self.to = to
    }

    /// Returns the increase of a counter; 0 if a new run has reset the counter.
    func grown(_ value: (CollectorAccount) -> Int) -> Int {
      let (before, now) = (value(from), value(to))
      return now >= before ? now - before : 0
    }

    func perSecond(_ value: (CollectorAccount) -> Int) -> Double {
      Double(grown(value)) / seconds
    }
  }

  private var failedAnswers: Int {
    StatusCode.allCases.reduce(0) { $1 == .ok ? $0 : $0 + reply.answers($1) }
  }

  private var errors: [String: Int] {
    var errors: [String: Int] = [:]
    for code in StatusCode.allCases where code != .ok {
      let count = reply.answers(code)
      if count > 0 { errors["\(code)"] = count }
    }
    let broken = reply.count(.protocolErrors)
    if broken > 0 { errors["protocol errors"] = broken }
    return errors
  }

  private func wire(_ interval: Interval?) -> Snapshot.WireMetrics {
    var wire = Snapshot.WireMetrics()
    wire.connections = reply.count(.connections)
    wire.connects = reply.count(.accepted)
    wire.bytesUp = reply.count(.bytesRead)
    wire.bytesDown = reply.count(.bytesWritten)
    wire.bytesUpPerSecond = interval?.perSecond { $0.reply.count(.bytesRead) } ?? 0
    wire.bytesDownPerSecond = interval?.perSecond { $0.reply.count(.bytesWritten) } ?? 0
    if reply.fixes.distinct > 0 {
      wire.bytesPerFix = Double(wire.bytesUp) / Double(reply.fixes.distinct)
    }
    return wire
  }

  // MARK: The run

  private func fillRun(_ snapshot: inout Snapshot, _ interval: Interval?) {
    snapshot.progress.scenarioTime = Self.universalTime(reply.scenario)
    var rates = Snapshot.Rates()
    rates.acknowledged = interval?.perSecond { Int($0.reply.batches.distinct) } ?? 0
    rates.fixes = interval?.perSecond { Int($0.reply.fixes.distinct) } ?? 0
    rates.failed = interval?.perSecond { $0.failedAnswers } ?? 0
    rates.inFlight = reply.count(.uploadsWaiting)
    snapshot.rates = rates
    var batches = Snapshot.StoredBatches()
    batches.received = Int(reply.batches.received)
    batches.distinct = Int(reply.batches.distinct)
    batches.duplicate = Int(reply.batches.duplicate)
    batches.rejected = Int(reply.batches.rejected.reduce(0) { $0 + $1.value })
    batches.fixes = Int(reply.fixes.distinct)
    batches.commits = reply.count(.commits)
    batches.commitP99Microseconds = reply.figure(.commit, .p99)
    snapshot.batches = batches
    if let ingest = reply.ingestLatency.flatMap(Histogram.init(wire:)) {
      var latency = RunRecord.Latency()
      latency.response = RunRecord.Metrics(ingest)
      snapshot.latency = latency
    }
    snapshot.freshness = freshness
    snapshot.pushes = Snapshot.PushFunnel(reply.sheet)
  }

  /// The age up to which a phone counts as fresh.
  private static let freshWithin = SimDuration.minutes(30)

  private var freshness: RunRecord.Freshness {
    var freshness = RunRecord.Freshness()
    freshness.withinSeconds = Self.freshWithin.seconds
    freshness.installed = population(.installed)
    freshness.reachable = population(.reachable)
    return freshness
  }

  private func population(_ key: PopulationKey) -> RunRecord.Freshness.Population {
    var population = RunRecord.Freshness.Population()
    population.share = reply.freshness(key, .within(Self.freshWithin))
    population.never = reply.freshness(key, .never)
    population.p50 = reply.freshness(key, .p50)
    population.p95 = reply.freshness(key, .p95)
    population.p99 = reply.freshness(key, .p99)
    return population
  }

  /// Returns the time in UTC, since the collector does not know its phones' time zone.
  private static func universalTime(_ instant: SimInstant) -> String {
    Snapshot.Progress.timeOfDay(Double(instant.microseconds) / 1e6) + " UTC"
  }
}

package struct CollectorWatch: Sendable {
  private var first: CollectorAccount?
  private var last: CollectorAccount?

  package init() {}

  /// Returns a snapshot of an account, with rates over the time since the previous account.
  package mutating func snapshot(of account: CollectorAccount, detail: String) -> Snapshot {
    defer { last = account }
    // A clock that went back belongs to another collector, whose counters start at 0.
    if let last, last.reply.wall > account.reply.wall { first = nil }
    let first = first ?? account
    self.first = first
    return account.snapshot(since: last, first: first, detail: detail)
  }
}

extension Histogram {
  /// Decodes a histogram; nil if the counts do not fit its slots.
  init?(wire sparse: SparseHistogram) {
    let isEmpty = sparse.counts.allSatisfy { $0 == 0 }
    guard let sum = Int64(exactly: sparse.sum), let least = Int64(exactly: sparse.min),
      let most = Int64(exactly: sparse.max),
      // The longest message has fewer than a million counts, so that their sum fits.
      sparse.counts.allSatisfy({ $0 < 1 << 40 })
    else { return nil }
    self.init(
      Sparse(
        slots: zip(sparse.indices, sparse.counts).map {
          Sparse.Slot(index: Int($0), count: Int($1))
        },
        sum: sum, min: isEmpty ? nil : least, max: isEmpty ? nil : most, saturated: 0,
        censored: 0, censoredFrom: nil))
  }
}
