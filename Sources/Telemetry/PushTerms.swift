package import SimulationCore

/// When the server asks a silent phone to report, and what counts as an answer: the part of a
/// scenario's `push` that the server acts on, and so the part that travels to it.
///
/// A new field needs its default in `Defaults`, its row in `PushSchema`, and its row in Wire's
/// table of `PushTerms`; `PushTermsTests` fails until it has all three.
package struct PushTerms: Equatable, Sendable {
  /// Names the rule by which the server chooses the phones to push.
  package enum Scheduler: String, CaseIterable, Sendable, BitwiseCopyable {
    /// Every reachable phone that is silent for `silentAfter`, at most every `spacing`.
    case fixed
    /// Learns who answers, and asks them sooner and the others later.
    case adaptive
    /// No pushes.
    case none
  }
  /// Is the scheduler in use; `none` pushes nobody.
  package var scheduler = Scheduler.none
  /// A phone that has not reported for this long is due.
  package var silentAfter = SimDuration.zero
  /// W of `answered(W)`.
  package var within = SimDuration.zero
  /// Further W for which the figures are kept; one longer than `spacing` would let a report answer
  /// two pushes, and is left out.
  package var windows: [SimDuration] = []
  /// The scheduler looks at scenario instants k · `sweep`.
  package var sweep = SimDuration.zero
  /// The least time between two pushes to one phone; at least `within`.
  package var spacing = SimDuration.zero
  /// Says how the spacing of pushes to a phone that does not answer grows.
  package var backoff = PushBackoff()
  /// What the scheduler `adaptive` makes of the answers.
  package var adaptive = AdaptivePushing()
  /// Before a push that the provider answered 429, 500 or 503 is asked for again.
  package var retryAfter = SimDuration.zero
  /// At most this many pushes, in scenario time.
  package var rate = Rate(perSecond: 0)
  /// The share of due phones that is not pushed, to estimate uplift. 0 ... 1.
  package var holdout = 0.0
  /// A due phone waits uniformly up to this long more, so that a storm spreads.
  package var jitter = SimDuration.zero
  /// A fix with a worse accuracy does not answer a push.
  package var accuracyLimit = Distance.meters(0)
  /// `apns-expiration`: how long the provider stores a push for a phone that it cannot reach.
  package var expiration = SimDuration.zero

  /// What a message says that says nothing: every field zero, as proto3 has it.
  package init() {}

  /// The last instant whose sweep has a number that no push on request has: 31 bits, which sweeps
  /// of a second reach in 2038 and those of two in 2106.
  package var numberedUntil: SimInstant {
    let sweeps = Int64(1) << 31
    return SimInstant(microseconds: sweeps * min(sweep, .seconds(2)).microseconds)
  }
}

/// How the time between two pushes to a phone grows while it does not answer.
package struct PushBackoff: Equatable, Sendable, BitwiseCopyable {
  /// Unanswered pushes in a row before the first growth; 0: never.
  package var after = 0
  /// Each further one multiplies the time by it.
  package var factor = 0.0
  /// Is the longest that the time between two pushes grows to.
  package var longest = SimDuration.zero

  /// Makes terms without back-off: all fields are zero.
  package init() {}

  /// Makes back-off from the pushes before the first growth, the factor of each and the limit.
  package init(after: Int, factor: Double, longest: SimDuration) {
    self.after = after
    self.factor = factor
    self.longest = longest
  }
}

/// How the scheduler `adaptive` learns which phones answer, and asks those sooner and the others
/// less often.
///
/// What it believes of a phone is one share: of its pushes, how many were answered, the newer ones
/// weighing more. Both times below follow from it alone.
package struct AdaptivePushing: Equatable, Sendable, BitwiseCopyable {
  /// The share that a phone is believed to answer before its first push. 0 ... 1.
  package var prior = 0.0
  /// How much the newest push weighs against all before it. 0 ... 1.
  package var weight = 0.0
  /// The silence after which a phone that always answers is due; one that never does is due after
  /// `PushTerms.silentAfter`, the others in between.
  package var silentAfter = SimDuration.zero
  /// The least time between two pushes to a phone that always answers; no less than
  /// `PushTerms.spacing`.
  package var spacing = SimDuration.zero
  /// `spacing` is divided by the share to this power.
  package var caution = 0.0
  /// It grows no further: a phone that was opened again, or set right, is found out within this.
  package var longest = SimDuration.zero

  /// Makes the settings of a message that has none: all fields are zero.
  package init() {}

  /// Makes the settings of the adaptive scheduler from their six fields.
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
