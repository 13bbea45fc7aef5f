internal import CFlotillaProto
internal import Core

extension PushTerms {
  nonisolated(unsafe) static let form = WireForm<Self, Flotilla__V1__PushSettings>(
    flotilla__v1__push_settings__init, PushTerms(),
    [
      .word("scheduler", \.scheduler, \.scheduler),
      .time("silent_after_us", \.silentAfter, \.silent_after_us),
      .time("within_us", \.within, \.within_us),
      .time("sweep_us", \.sweep, \.sweep_us),
      .time("spacing_us", \.spacing, \.spacing_us),
      .number(
        "rate_per_second", \.rate, \.rate_per_second, in: 0...(.infinity), \.perSecond,
        Rate.init(perSecond:)),
      .number("holdout", \.holdout, \.holdout, in: 0...1),
      .time("jitter_us", \.jitter, \.jitter_us),
      .number(
        "accuracy_limit_meters", \.accuracyLimit, \.accuracy_limit_meters,
        in: WireBounds.meters, \.meters, Distance.meters),
      .time("expiration_us", \.expiration, \.expiration_us),
      .times("windows_us", \.windows, \.windows_us, count: \.n_windows_us),
      .time("retry_after_us", \.retryAfter, \.retry_after_us),
      .part(\.backoff, \.backoff, PushBackoff.form),
      .part(\.adaptive, \.adaptive, AdaptivePushing.form),
    ])
}

extension PushBackoff {
  fileprivate nonisolated(unsafe) static let form = WireForm<Self, Flotilla__V1__Backoff>(
    flotilla__v1__backoff__init, PushTerms().backoff,
    [
      .value(\.after, \.after, { UInt32(clamping: $0) }, { Int($0) }),
      // With 255 unanswered pushes, the power of the factor is still finite.
      .number("backoff.factor", \.factor, \.factor, in: 0...10),
      .time("backoff.longest_us", \.longest, \.longest_us),
    ])
}

extension AdaptivePushing {
  fileprivate nonisolated(unsafe) static let form = WireForm<Self, Flotilla__V1__Adaptive>(
    flotilla__v1__adaptive__init, PushTerms().adaptive,
    [
      .number("adaptive.prior", \.prior, \.prior, in: 0...1),
      .number("adaptive.weight", \.weight, \.weight, in: 0...1),
      .time("adaptive.silent_after_us", \.silentAfter, \.silent_after_us),
      .time("adaptive.spacing_us", \.spacing, \.spacing_us),
      .number("adaptive.caution", \.caution, \.caution, in: 0...100),
      .time("adaptive.longest_us", \.longest, \.longest_us),
    ])
}
