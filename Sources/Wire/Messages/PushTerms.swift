internal import CFlotillaProto
package import SimulationCore

/// The push settings of a run as they travel; the words are those of the scenario.
package struct PushTerms: Equatable, Sendable {
  /// "fixed", "adaptive" or "none".
  package var scheduler: String
  package var silentAfter: SimDuration
  package var within: SimDuration
  package var sweep: SimDuration
  package var spacing: SimDuration
  /// In scenario time.
  package var rate: Rate
  /// 0 ... 1
  package var holdout: Double
  package var jitter: SimDuration
  package var accuracyLimit: Distance
  package var expiration: SimDuration
  /// Further times within which an answer is looked for.
  package var windows: [SimDuration] = []
  package var backoff = Backoff()
  /// Before a push that the provider answered 429, 500 or 503 is asked for again.
  package var retryAfter = SimDuration.minutes(15)
  package var adaptive = Adaptive()

  /// How the time between two pushes to a phone grows while it does not answer.
  package struct Backoff: Equatable, Sendable {
    /// 0: never.
    package var after: UInt32
    package var factor: Double
    package var longest: SimDuration

    package init(after: UInt32 = 0, factor: Double = 1, longest: SimDuration = .zero) {
      self.after = after
      self.factor = factor
      self.longest = longest
    }
  }

  /// What the scheduler "adaptive" makes of a phone's answers.
  package struct Adaptive: Equatable, Sendable {
    package var prior: Double
    package var weight: Double
    package var silentAfter: SimDuration
    package var spacing: SimDuration
    package var caution: Double
    package var longest: SimDuration

    package init(
      prior: Double = 0, weight: Double = 0, silentAfter: SimDuration = .zero,
      spacing: SimDuration = .zero, caution: Double = 0, longest: SimDuration = .zero
    ) {
      self.prior = prior
      self.weight = weight
      self.silentAfter = silentAfter
      self.spacing = spacing
      self.caution = caution
      self.longest = longest
    }
  }

  package init(
    scheduler: String, silentAfter: SimDuration, within: SimDuration, sweep: SimDuration,
    spacing: SimDuration, rate: Rate, holdout: Double, jitter: SimDuration,
    accuracyLimit: Distance, expiration: SimDuration
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
  }

  init(_ message: Flotilla__V1__PushSettings) {
    self.init(
      scheduler: text(message.scheduler), silentAfter: .microseconds(message.silent_after_us),
      within: .microseconds(message.within_us), sweep: .microseconds(message.sweep_us),
      spacing: .microseconds(message.spacing_us), rate: Rate(perSecond: message.rate_per_second),
      holdout: message.holdout, jitter: .microseconds(message.jitter_us),
      accuracyLimit: .meters(message.accuracy_limit_meters),
      expiration: .microseconds(message.expiration_us))
    windows = column(message.windows_us, message.n_windows_us).map { .microseconds($0) }
    retryAfter = .microseconds(message.retry_after_us)
    if let backoff = message.backoff { self.backoff = Backoff(backoff.pointee) }
    if let adaptive = message.adaptive { self.adaptive = Adaptive(adaptive.pointee) }
  }

  func message(
    in arena: Arena
  ) throws(WireError) -> UnsafeMutablePointer<Flotilla__V1__PushSettings> {
    let message = try arena.make(flotilla__v1__push_settings__init)
    message.pointee.scheduler = try arena.string(scheduler)
    message.pointee.silent_after_us = silentAfter.microseconds
    message.pointee.within_us = within.microseconds
    message.pointee.sweep_us = sweep.microseconds
    message.pointee.spacing_us = spacing.microseconds
    message.pointee.rate_per_second = rate.perSecond
    message.pointee.holdout = holdout
    message.pointee.jitter_us = jitter.microseconds
    message.pointee.accuracy_limit_meters = accuracyLimit.meters
    message.pointee.expiration_us = expiration.microseconds
    message.pointee.n_windows_us = windows.count
    message.pointee.windows_us = try arena.copy(windows.map(\.microseconds))
    message.pointee.retry_after_us = retryAfter.microseconds
    message.pointee.backoff = try backoff.message(in: arena)
    message.pointee.adaptive = try adaptive.message(in: arena)
    return message
  }
}

extension PushTerms.Backoff {
  fileprivate init(_ message: Flotilla__V1__Backoff) {
    self.init(
      after: message.after, factor: message.factor, longest: .microseconds(message.longest_us))
  }

  fileprivate func message(
    in arena: Arena
  ) throws(WireError) -> UnsafeMutablePointer<Flotilla__V1__Backoff> {
    let message = try arena.make(flotilla__v1__backoff__init)
    message.pointee.after = after
    message.pointee.factor = factor
    message.pointee.longest_us = longest.microseconds
    return message
  }
}

extension PushTerms.Adaptive {
  fileprivate init(_ message: Flotilla__V1__Adaptive) {
    self.init(
      prior: message.prior, weight: message.weight,
      silentAfter: .microseconds(message.silent_after_us),
      spacing: .microseconds(message.spacing_us), caution: message.caution,
      longest: .microseconds(message.longest_us))
  }

  fileprivate func message(
    in arena: Arena
  ) throws(WireError) -> UnsafeMutablePointer<Flotilla__V1__Adaptive> {
    let message = try arena.make(flotilla__v1__adaptive__init)
    message.pointee.prior = prior
    message.pointee.weight = weight
    message.pointee.silent_after_us = silentAfter.microseconds
    message.pointee.spacing_us = spacing.microseconds
    message.pointee.caution = caution
    message.pointee.longest_us = longest.microseconds
    return message
  }
}

/// A time in which the server is down for its phones.
package struct OutageTerms: Equatable, Sendable {
  package var at: SimInstant
  package var lasts: SimDuration

  package init(at: SimInstant, lasts: SimDuration) {
    self.at = at
    self.lasts = lasts
  }

  init(_ message: Flotilla__V1__Outage) {
    self.init(
      at: SimInstant(microseconds: message.at_us), lasts: .microseconds(message.lasts_us))
  }

  func message(in arena: Arena) throws(WireError) -> UnsafeMutablePointer<Flotilla__V1__Outage> {
    let message = try arena.make(flotilla__v1__outage__init)
    message.pointee.at_us = at.microseconds
    message.pointee.lasts_us = lasts.microseconds
    return message
  }
}
