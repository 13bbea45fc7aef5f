internal import Core
internal import Figures
internal import Fleet
internal import Push
internal import Uploads

/// Reads the figures of this process's phones, once per interval.
struct ShareReader {
  private let plan: RunPlan
  private let session: LiveSession
  private var lastProcess = ProcessMetrics.current()
  private var lastCensus = Sheet()
  private var lastFreshness: FreshnessMetrics?
  private var intervals = 0
  private var ended = Sheet()
  private var endingsSeen: [Int] = []
  var process: ProcessMetrics { lastProcess }

  init(_ plan: RunPlan, session: LiveSession) {
    self.plan = plan
    self.session = session
  }

  /// - Parameter second: the last whole second of the live part in the interval.
  mutating func read(at moment: ShareInterval.Moment, second: Int) -> ShareInterval {
    let load = session.recorder.intervals.take()
    let (metrics, census) = readShards()
    let process = ProcessMetrics.current()
    let cores = process.cores(since: lastProcess, moment.seconds)
    lastProcess = process
    var sender = Snapshot.ProcessLoad(
      name: "generator", cores: cores, residentBytes: process.residentBytes)
    if plan.link != nil {
      sender.sending = .init(
        batchesPerSecond: Double(load.counters[.acknowledgedBatches]) / moment.seconds,
        lagMaxMicroseconds: load.latency.generatorLag.max)
    }
    var counts = session.pushes.counts(at: moment.at, plan.scenario)
    for part in [session.sender.counters(), census, metrics.counts, ended] { counts += part }
    var share = ShareInterval()
    (share.second, share.moment, share.phones) = (second, moment, plan.phones.count)
    (share.senders, share.counts) = ([sender], counts)
    (share.freshness, share.load) = (metrics.freshness, load)
    return share
  }

  /// Inspecting the phones delays a shard by 0.2 µs per phone. A large fleet is inspected every 15
  /// seconds, rarely enough not to affect any percentile.
  private mutating func isTimeToLook() -> Bool {
    intervals += 1
    let every = plan.phones.count <= 10_000 ? 1 : 15
    return intervals % every == 1 % every
  }

  private mutating func readShards() -> (FleetMetrics, Sheet) {
    let looks = isTimeToLook()
    var sum = FleetMetrics(plan.scenario)
    var census = Sheet()
    var endings: [ArraySlice<PushEnding>] = []
    var metrics: [FleetMetrics] = []
    session.live.inTurn { shard in
      // Metrics are only copied here, since the shard's queue must keep its phones on time.
      metrics.append(shard.metrics)
      if looks {
        census += shard.census()
        metrics[metrics.count - 1].freshness = shard.freshness()
      }
      let seen = endings.count < endingsSeen.count ? endingsSeen[endings.count] : 0
      endings.append(shard.pushEndings[seen...])
    }
    for part in metrics { sum.merge(part) }
    for part in endings {
      for ending in part where !SilentPush.isOnRequest(ending.id) {
        ended.count(.outcomes, ending.outcome.rawValue)
      }
    }
    endingsSeen = endings.map(\.endIndex)
    guard looks else {
      if let lastFreshness { sum.freshness = lastFreshness }
      return (sum, lastCensus)
    }
    lastFreshness = sum.freshness
    // The ledger's identities must hold at every snapshot; otherwise the run is worthless.
    session.noteFaults(Ledger(sum, census).check())
    lastCensus = census
    return (sum, census)
  }
}

extension ProcessMetrics {
  /// Returns the average number of CPU cores used over the `seconds` since an earlier reading.
  func cores(since before: ProcessMetrics, _ seconds: Double) -> Double {
    Double(cpuMicroseconds - before.cpuMicroseconds) / 1e6 / seconds
  }
}
