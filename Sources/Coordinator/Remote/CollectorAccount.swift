package import Measure
internal import SimulationCore
internal import Transport
package import Wire

/// What a collector somewhere else said of itself at one instant, and what a watcher makes of it.
package struct CollectorAccount: Equatable, Sendable {
  var reply: SnapshotReply
  var isServing: Bool
  /// Why it does not serve, where it does not.
  var detail: String

  package init(_ reply: SnapshotReply, isServing: Bool = true, detail: String = "") {
    self.reply = reply
    self.isServing = isServing
    self.detail = detail
  }

  /// - Parameters:
  ///   - earlier: rates are since then, by the collector's own clock; nil: there are none yet.
  ///   - first: when the watcher came.
  package func snapshot(
    since earlier: CollectorAccount?, first: CollectorAccount, address: String
  ) -> Snapshot {
    var snapshot = Snapshot(
      source: .collect, name: reply.runID.isEmpty ? "no run yet" : reply.runID, detail: address)
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
        cores: interval.map { Double($0.grown { $0.reply.cpuMicroseconds }) / 1e6 / $0.seconds },
        residentBytes: Int(reply.rssBytes))
    ]
    return snapshot
  }

  private var outlook: Outlook {
    switch reply.state {
    case .draining: Outlook(.stopping, "open calls are answered, then it ends.")
    case .idle, .open:
      if isServing {
        Outlook(.serving, reply.runID.isEmpty ? "no run is open yet." : "a run is open.")
      } else {
        Outlook(.trouble, detail)
      }
    }
  }

  // MARK: What changed

  /// From one account to a later one of the same process.
  private struct Interval {
    let from: CollectorAccount
    let to: CollectorAccount
    let seconds: Double

    /// nil: no time has gone by, or another process answers, whose counters begin anew.
    init?(from: CollectorAccount, to: CollectorAccount) {
      seconds = (to.reply.wall - from.reply.wall).seconds
      guard seconds > 0, to.reply.cpuMicroseconds >= from.reply.cpuMicroseconds else { return nil }
      self.from = from
      self.to = to
    }

    /// Zero where a run has begun anew since.
    func grown(_ value: (CollectorAccount) -> UInt64) -> UInt64 {
      let (before, now) = (value(from), value(to))
      return now >= before ? now - before : 0
    }

    func perSecond(_ value: (CollectorAccount) -> UInt64) -> Double {
      Double(grown(value)) / seconds
    }
  }

  private func count(_ name: String) -> UInt64 {
    reply.counters.first { $0.name == name }?.value ?? 0
  }

  private var failedAnswers: UInt64 {
    reply.counters.reduce(0) { $1.name.hasPrefix("status.") ? $0 + $1.value : $0 }
      - count("status.\(StatusCode.ok)")
  }

  private var errors: [String: Int] {
    var errors: [String: Int] = [:]
    for code in StatusCode.allCases where code != .ok {
      let count = Int(count("status.\(code)"))
      if count > 0 { errors["\(code)"] = count }
    }
    let broken = Int(count("protocolErrors"))
    if broken > 0 { errors["protocol errors"] = broken }
    return errors
  }

  private func wire(_ interval: Interval?) -> Snapshot.WireFigures {
    var wire = Snapshot.WireFigures()
    wire.connections = Int(count("connections"))
    wire.connects = Int(count("connectionsAccepted"))
    wire.bytesUp = Int(count("bytesRead"))
    wire.bytesDown = Int(count("bytesWritten"))
    wire.bytesUpPerSecond = interval?.perSecond { $0.count("bytesRead") } ?? 0
    wire.bytesDownPerSecond = interval?.perSecond { $0.count("bytesWritten") } ?? 0
    if reply.fixes.distinct > 0 {
      wire.bytesPerFix = Double(wire.bytesUp) / Double(reply.fixes.distinct)
    }
    return wire
  }

  // MARK: The run

  private func fillRun(_ snapshot: inout Snapshot, _ interval: Interval?) {
    snapshot.progress.scenarioTime = Self.universalTime(reply.scenario)
    var rates = Snapshot.Rates()
    rates.acknowledged = interval?.perSecond { $0.reply.batches.distinct } ?? 0
    rates.fixes = interval?.perSecond { $0.reply.fixes.distinct } ?? 0
    rates.failed = interval?.perSecond { $0.failedAnswers } ?? 0
    rates.inFlight = Int(count("uploadsWaiting"))
    snapshot.rates = rates
    var batches = Snapshot.StoredBatches()
    batches.received = Int(reply.batches.received)
    batches.distinct = Int(reply.batches.distinct)
    batches.duplicate = Int(reply.batches.duplicate)
    batches.rejected = Int(reply.batches.rejected.reduce(0) { $0 + $1.value })
    batches.fixes = Int(reply.fixes.distinct)
    batches.commits = Int(count("store.commits"))
    batches.commitP99Microseconds = reply.figures.first { $0.name == "store.commit.p99" }?.value
    snapshot.batches = batches
    if let ingest = reply.ingestLatency.flatMap(Histogram.init(wire:)) {
      var latency = RunRecord.Latency()
      latency.response = RunRecord.Figures(ingest)
      snapshot.latency = latency
    }
    snapshot.freshness = freshness
    snapshot.pushes = pushes
  }

  private var freshness: RunRecord.Freshness {
    let limit = 1_800
    var freshness = RunRecord.Freshness()
    freshness.withinSeconds = Double(limit)
    for entry in reply.freshness {
      var population = RunRecord.Freshness.Population()
      population.share = entry.figures.first { $0.name == "within.\(limit)" }?.value
      population.never = entry.figures.first { $0.name == "never" }?.value
      switch entry.population {
      case "installed": freshness.installed = population
      case "reachable": freshness.reachable = population
      default: continue
      }
    }
    return freshness
  }

  private var pushes: Snapshot.PushFunnel {
    func count(_ name: String) -> Int {
      Int(reply.pushes.first { $0.name == name }?.value ?? 0)
    }
    var pushes = Snapshot.PushFunnel()
    pushes.requested = count("requested")
    pushes.withheld = count("withheld")
    pushes.eligible = count("eligible")
    pushes.answered = count("answered")
    return pushes
  }

  /// The collector is not told its phones' time zone.
  private static func universalTime(_ instant: SimInstant) -> String {
    Snapshot.Progress.timeOfDay(Double(instant.microseconds) / 1e6) + " UTC"
  }
}

extension Histogram {
  /// nil: what came is no histogram of these slots.
  init?(wire sparse: SparseHistogram) {
    let isEmpty = sparse.counts.allSatisfy { $0 == 0 }
    guard let sum = Int64(exactly: sparse.sum), let least = Int64(exactly: sparse.min),
      let most = Int64(exactly: sparse.max), sparse.counts.allSatisfy({ $0 < 1 << 48 })
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
