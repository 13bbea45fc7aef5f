internal import Measure
internal import ServerLogic
internal import SimulationCore
internal import Transport

/// What a collector is at one instant: all that its metrics say, copied on the loop's thread.
///
/// Histograms are copied as their fourteen buckets, so that the loop does not have to copy 184 KiB
/// at its next record.
struct CollectorSample: Sendable {
  struct Run: Sendable {
    var id: String
    var phones: Int
    var speed: Double
    var ledger: CollectorLedger
    var wake: WakeTotals
    var pushesWaiting: Int
    var freshness: FreshnessIntegral
  }
  var server = ServerCounters()
  var run: Run?
  var uploadsWaiting = 0
  var subscribers = 0
  var registrations: UInt64 = 0
  var settingsHandedOut: UInt64 = 0
  var refusedInOutage: UInt64 = 0
  var commits: UInt64 = 0
  var records: UInt64 = 0
  var commitErrors: UInt64 = 0
  var sweeps: UInt64 = 0
  var sweepsLeftOut: UInt64 = 0
  var pushesDropped: UInt64 = 0
  var ingest = BucketCounts(Histogram())
  var commitTime = BucketCounts(Histogram())
  var lateness = BucketCounts(Histogram())
  var storeQueue = BucketCounts(Histogram())
  var loopQueue = BucketCounts(Histogram())
  var shed: UInt64 = 0
  var batchLimits = BatchLimitHits()
  /// 0 while nobody is refused.
  var shedShare = 0.0
  /// Since the last commit.
  var commitAge: WallDuration?
  var storeError: StoreError?
}

extension CollectorSample {
  fileprivate mutating func count(_ figures: CollectorFigures) {
    registrations = figures.registrations
    settingsHandedOut = figures.settingsHandedOut
    refusedInOutage = figures.refusedInOutage
    shed = figures.shed
    commits = figures.commits
    records = figures.commitRecords
    commitErrors = figures.commitErrors
    sweeps = figures.sweeps
    sweepsLeftOut = figures.sweepsWithoutSubscriber
    pushesDropped = figures.pushesDropped
  }
}

extension BucketCounts {
  init(_ histogram: Histogram) {
    cumulative = histogram.cumulative(upTo: Self.bounds)
    count = UInt64(histogram.count)
    sumMicroseconds = histogram.sum
  }
}

extension CollectorServer {
  /// Only on the loop's thread.
  func sample() -> CollectorSample {
    var sample = CollectorSample()
    sample.server = rpc.counters
    sample.uploadsWaiting = desk.uploadsWaiting
    sample.subscribers = subscribers.count
    sample.ingest = BucketCounts(figures.ingest)
    sample.commitTime = BucketCounts(figures.commit)
    sample.lateness = BucketCounts(figures.lateness)
    sample.storeQueue = BucketCounts(figures.storeQueue)
    sample.loopQueue = BucketCounts(figures.loopQueue)
    sample.batchLimits = batchLimits
    sample.shedShare = admission.isShedding ? admission.dropProbability : 0
    sample.commitAge = lastCommit.map { loop.now - $0 }
    sample.storeError = storeError
    sample.count(figures)
    sample.run = run.map { run in
      CollectorSample.Run(
        id: run.id, phones: run.backend.phones, speed: run.clock.speed,
        ledger: run.backend.ledger, wake: run.backend.wake,
        pushesWaiting: run.backend.waitingForRate,
        freshness: freshness(of: run, isFinal: false))
    }
    return sample
  }
}
