internal import Core
internal import ServerLogic
internal import Transport

/// The values of the metrics at one instant, copied on the loop's thread. A histogram is copied as
/// fourteen buckets, to avoid a copy of its 184 KiB on the loop.
struct CollectorSample: Sendable {
  struct Run: Sendable {
    var id: String
    var phones: Int
    var speed: Double
    var ledger: CollectorLedger
    var freshness: FreshnessIntegral
    /// The pushes of the phones of each operating system, in the order of `freshness.parts`.
    var systems: [(name: String, pushes: Sheet)]
  }
  var server = ServerCounters()
  var handshakes = TLSCounters()
  var run: Run?
  var sheet = Sheet()
  var subscribers = 0
  var ingest = BucketCounts(Histogram())
  var commitTime = BucketCounts(Histogram())
  var lateness = BucketCounts(Histogram())
  var storeQueue = BucketCounts(Histogram())
  var loopQueue = BucketCounts(Histogram())
  var shedShare = 0.0
  var commitAge: WallDuration?
  var storeError: StoreError?
  /// Why connections were refused if file descriptors ran out; nil if none were refused.
  var descriptorFault: String?
}

extension CollectorSample {
  mutating func take(_ ingest: Ingest) {
    self.ingest = BucketCounts(ingest.counters.ingest)
    loopQueue = BucketCounts(ingest.counters.loopQueue)
    shedShare = ingest.refusedShare
  }

  mutating func take(_ commits: Commits, at now: WallInstant) {
    commitTime = BucketCounts(commits.counters.commit)
    storeQueue = BucketCounts(commits.counters.wait)
    commitAge = commits.lastAt.map { now - $0 }
    storeError = commits.error
  }
}
