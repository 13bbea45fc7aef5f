package import SimulationCore

/// When the server asks a silent phone to report, and what counts as an answer.
package struct PushSettings: Equatable, Sendable {
  package enum Scheduler: String, CaseIterable, Sendable { case fixed, none }
  package var scheduler: Scheduler
  /// A phone that has not reported for this long is due.
  package var silentAfter: SimDuration
  /// W of `answered(W)`.
  package var within: SimDuration
  /// The scheduler looks at scenario instants k · `sweep`.
  package var sweep: SimDuration
  /// The least time between two pushes to one phone; at least `within`.
  package var spacing: SimDuration
  /// At most this many pushes, in scenario time.
  package var rate: Rate
  /// The share of due phones that is not pushed, to estimate uplift. 0 ... 1.
  package var holdout: Double
  /// A due phone waits uniformly up to this long more, so that a storm spreads.
  package var jitter: SimDuration
  /// A fix with a worse accuracy does not answer a push.
  package var accuracyLimit: Distance
  /// `apns-expiration`: how long the provider stores a push for an offline phone.
  package var expiration: SimDuration
  /// Tokens that the phone's OS grants the app, at most and per hour (rule book section 5).
  package var bucketCapacity: Double
  package var bucketRefillPerHour: Double

  /// For who has no scenario file: a collector that is told its settings over the wire.
  package init(
    scheduler: Scheduler, silentAfter: SimDuration, within: SimDuration, sweep: SimDuration,
    spacing: SimDuration, rate: Rate, holdout: Double, jitter: SimDuration,
    accuracyLimit: Distance, expiration: SimDuration, bucketCapacity: Double,
    bucketRefillPerHour: Double
  ) {
    self.scheduler = scheduler
    self.silentAfter = silentAfter
    self.within = within
    self.sweep = sweep
    self.spacing = spacing
    self.rate = rate
    self.holdout = holdout
    self.jitter = jitter
    self.accuracyLimit = accuracyLimit
    self.expiration = expiration
    self.bucketCapacity = bucketCapacity
    self.bucketRefillPerHour = bucketRefillPerHour
  }
}

package struct CollectorSettings: Equatable, Sendable {
  package enum Store: String, CaseIterable, Sendable {
    /// Measure only: acks at once, holds nothing.
    case none
    case sqlite
  }
  package var workers: Int
  package var store: Store
  /// The longest a batch waits for others before a commit begins.
  package var groupDelay: WallDuration
}
