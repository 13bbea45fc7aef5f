/// The part of a scenario's `push` that is sent to the server. A new field needs its default in
/// `Defaults`, and a row in `PushSchema` and in Wire's table of `PushTerms` (`PushTermsTests`).
package struct PushTerms: Equatable, Sendable {
  /// The rule by which the server chooses the phones to push.
  package enum Scheduler: String, CaseIterable, Sendable, BitwiseCopyable {
    /// Pushes each reachable phone that is silent for `silentAfter`, at most once per `spacing`.
    case fixed
    case adaptive
    case none
  }
  package var scheduler = Scheduler.none
  /// The time without a report after which a phone is due for a push.
  package var silentAfter = SimDuration.zero
  /// W of `answered(W)`.
  package var within = SimDuration.zero
  /// Further W for which figures are kept. A W longer than `spacing` is left out, since one report
  /// could then answer two pushes.
  package var windows: [SimDuration] = []
  /// The time between sweeps: the scheduler runs at scenario instants k · `sweep`.
  package var sweep = SimDuration.zero
  /// The minimum time between two pushes to one phone; at least `within`.
  package var spacing = SimDuration.zero
  package var backoff = PushBackoff()
  package var adaptive = AdaptivePushing()
  package var retryAfter = SimDuration.zero
  package var rate = Rate(perSecond: 0)
  /// The share of due phones that is not pushed, to estimate uplift. 0 ... 1.
  package var holdout = 0.0
  /// The maximum random wait before a due phone is pushed, which spreads a storm.
  package var jitter = SimDuration.zero
  /// The worst accuracy of a fix that answers a push.
  package var accuracyLimit = Distance.meters(0)
  /// `apns-expiration`: how long the provider stores a push for a phone that it cannot reach.
  package var expiration = SimDuration.zero

  /// Creates terms with all fields zero, as in an empty proto3 message.
  package init() {}

  /// The instant at which sweep numbers reach 2^31, the bit that marks pushes on request: 2038 with
  /// a sweep per second, and 2106 at the latest.
  package var numberedUntil: SimInstant {
    let sweeps = Int64(1) << 31
    return SimInstant(microseconds: sweeps * min(sweep, .seconds(2)).microseconds)
  }
}

/// The growth of the time between two pushes to a phone that does not answer.
package struct PushBackoff: Equatable, Sendable, BitwiseCopyable {
  /// The number of unanswered pushes in a row before the first growth; 0 for no growth.
  package var after = 0
  package var factor = 0.0
  package var longest = SimDuration.zero

  package init() {}

  package init(after: Int, factor: Double, longest: SimDuration) {
    self.after = after
    self.factor = factor
    self.longest = longest
  }
}

/// How the scheduler `adaptive` learns which phones answer, and pushes such phones sooner. A
/// phone's estimate is its share of answered pushes, in which newer pushes weigh more.
package struct AdaptivePushing: Equatable, Sendable, BitwiseCopyable {
  /// The assumed share of answers before a phone's first push. 0 ... 1.
  package var prior = 0.0
  /// The weight of the newest push against all before it. 0 ... 1.
  package var weight = 0.0
  /// The silence after which a phone that always answers is due. A phone that never answers is due
  /// after `PushTerms.silentAfter`, and other phones in between.
  package var silentAfter = SimDuration.zero
  /// The minimum time between pushes to a phone that always answers; at least `PushTerms.spacing`.
  package var spacing = SimDuration.zero
  package var caution = 0.0
  /// The maximum time between pushes, so that a phone that answers again is detected.
  package var longest = SimDuration.zero

  package init() {}

  package init(
    prior: Double, weight: Double, silentAfter: SimDuration, spacing: SimDuration,
    caution: Double, longest: SimDuration
  ) {
    self.prior = prior
    self.weight = weight
    self.silentAfter = silentAfter
    self.spacing = spacing
    self.caution = caution
    self.longest = longest
  }
}
