internal import CFlotillaProto
internal import SimulationCore
internal import Telemetry

/// How the server's push terms travel: one row a field, which is both written and read.
enum PushTermsTable {
  typealias Message = Flotilla__V1__PushSettings

  static func terms(_ message: Message) throws(WireError) -> PushTerms {
    var terms = PushTerms()
    for row in rows { try row.read(message, &terms) }
    return terms
  }

  static func message(
    _ terms: PushTerms, in arena: Arena
  ) throws(WireError) -> UnsafeMutablePointer<Message> {
    let message = try arena.make(flotilla__v1__push_settings__init)
    for row in rows { try row.write(terms, message, arena) }
    return message
  }

  private static var rows: [WireField<PushTerms, Message>] {
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
      .part(\.backoff, \.backoff, backoff, flotilla__v1__backoff__init),
      .part(\.adaptive, \.adaptive, adaptive, flotilla__v1__adaptive__init),
    ]
  }

  private static var backoff: [WireField<PushBackoff, Flotilla__V1__Backoff>] {
    [
      .scalar(\.after, \.after, { UInt32(clamping: $0) }, { Int($0) }),
      // Its power of 255 unanswered pushes is a number still.
      .number("backoff.factor", \.factor, \.factor, in: 0...10),
      .time("backoff.longest_us", \.longest, \.longest_us),
    ]
  }

  private static var adaptive: [WireField<AdaptivePushing, Flotilla__V1__Adaptive>] {
    [
      .number("adaptive.prior", \.prior, \.prior, in: 0...1),
      .number("adaptive.weight", \.weight, \.weight, in: 0...1),
      .time("adaptive.silent_after_us", \.silentAfter, \.silent_after_us),
      .time("adaptive.spacing_us", \.spacing, \.spacing_us),
      .number("adaptive.caution", \.caution, \.caution, in: 0...100),
      .time("adaptive.longest_us", \.longest, \.longest_us),
    ]
  }
}
