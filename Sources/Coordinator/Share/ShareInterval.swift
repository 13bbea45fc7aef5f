internal import Fleet
internal import Measure
internal import SimulationCore
internal import Transport

/// What one share of a live fleet saw of an interval.
///
/// It can be added to what the other shares saw of the same interval; a timeline row and the
/// picture for observers are composed from the sum.
package struct ShareInterval: Codable, Equatable, Sendable {
  /// Numbers the interval by the last whole second of the live part in it.
  var second: Int
  /// Counts the phones of the share.
  var phones: Int
  /// Counters and histograms of the interval alone.
  var load: Interval
  /// Counts what the phones did since the counting began.
  var metrics: LiveFigures
  /// Holds the states of the phones as last inspected.
  var census: FleetCensus
  /// Counts what the sender did so far.
  var uploads: UploadCounters
  /// Counts the pushes so far, by how they ended.
  var pushes: Snapshot.PushFunnel
  /// Counts the pushes chosen by sweeps so far, withheld ones included, and how many were answered.
  var occasions: Int
  var answers: Int
  /// Counts the bytes of columns so far, and of the payloads that they became.
  var plainBytes: Int
  var payloadBytes: Int
  /// Lists the processes that send, in the order of their phones.
  var senders: [Snapshot.ProcessLoad]

  /// Adds what the share with the next phones saw.
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

  /// Adds what the same share saw of its next interval: the load adds, all else is the later's.
  mutating func follow(with next: ShareInterval) {
    let before = self
    self = next
    load.merge(before.load)
    for (number, sender) in before.senders.enumerated() where number < senders.count {
      guard let lag = sender.sending?.lagMaxMicroseconds else { continue }
      let later = senders[number].sending?.lagMaxMicroseconds ?? lag
      senders[number].sending?.lagMaxMicroseconds = max(lag, later)
    }
  }

  /// Is the share in a later interval of which it saw nothing.
  var idle: ShareInterval {
    var idle = self
    idle.load = Interval()
    for number in idle.senders.indices {
      idle.senders[number].cores = 0
      guard idle.senders[number].sending != nil else { continue }
      idle.senders[number].sending = .init(batchesPerSecond: 0, lagMaxMicroseconds: nil)
    }
    return idle
  }
}

/// Holds what rows and pictures show of the phones' metrics: a small part, since it travels each
/// second.
struct LiveFigures: Codable, Equatable, Sendable {
  var fixesGenerated: Int
  var fixesPersisted: Int
  var fixesEvicted: Int
  var fixesRefused: Int
  var fixesAcknowledged: Int
  var freshness: FreshnessMetrics

  init(_ metrics: FleetMetrics) {
    fixesGenerated = metrics.fixesGenerated
    fixesPersisted = metrics.fixesPersisted
    fixesEvicted = metrics.fixesEvicted
    fixesRefused = metrics.fixesRefused
    fixesAcknowledged = metrics.fixesAcknowledged
    freshness = metrics.freshness
  }

  /// Makes figures in which nothing has happened.
  init() {
    (fixesGenerated, fixesPersisted, fixesEvicted) = (0, 0, 0)
    (fixesRefused, fixesAcknowledged) = (0, 0)
    freshness = FreshnessMetrics(limit: .zero, reach: Distance(meters: 0), cohorts: 0)
  }

  /// Adds the figures of other phones of the same scenario.
  mutating func merge(_ other: Self) {
    fixesGenerated += other.fixesGenerated
    fixesPersisted += other.fixesPersisted
    fixesEvicted += other.fixesEvicted
    fixesRefused += other.fixesRefused
    fixesAcknowledged += other.fixesAcknowledged
    freshness.merge(other.freshness)
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
