internal import Fleet
internal import Measure
internal import Transport

/// What one share of a live fleet saw of an interval.
///
/// It adds to what the other shares saw of the same interval; a timeline's row and the picture for
/// watchers are composed of the sum.
struct ShareInterval: Codable, Equatable, Sendable {
  /// How many phones the share has.
  var phones: Int
  /// Counters and histograms of the interval alone.
  var load: Interval
  /// What the phones did since the counting began.
  var metrics: FleetMetrics
  /// What the last look at each phone found.
  var census: FleetCensus
  /// What the sender did so far.
  var uploads: UploadCounters
  /// Pushes so far, and how those ended that did.
  var pushes: Snapshot.PushFunnel
  /// Sweeps' choices so far, controls among them, and how many were answered at all.
  var occasions: Int
  var answers: Int
  /// Bytes of columns so far, and of the payloads that they became.
  var plainBytes: Int
  var payloadBytes: Int
  /// The processes that send, in the order of their phones.
  var senders: [Snapshot.ProcessLoad]

  /// Adds what the share with the following phones saw.
  mutating func merge(_ other: ShareInterval) {
    phones += other.phones
    load.merge(other.load)
    metrics.merge(other.metrics)
    census.merge(other.census)
    uploads.merge(other.uploads)
    pushes.merge(other.pushes)
    occasions += other.occasions
    answers += other.answers
    plainBytes += other.plainBytes
    payloadBytes += other.payloadBytes
    senders += other.senders
  }
}

extension Snapshot.PushFunnel {
  fileprivate mutating func merge(_ other: Self) {
    requested += other.requested
    withheld += other.withheld
    eligible += other.eligible
    answered += other.answered
    guard let more = other.outcomes else { return }
    outcomes = (outcomes ?? [:]).merging(more, uniquingKeysWith: +)
  }
}
