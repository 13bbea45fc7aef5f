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
      .time(\.silentAfter, \.silent_after_us),
      .time(\.within, \.within_us),
      .time(\.sweep, \.sweep_us),
      .time(\.spacing, \.spacing_us),
      .scalar(\.rate, \.rate_per_second, \.perSecond, Rate.init(perSecond:)),
      .number(\.holdout, \.holdout),
      .time(\.jitter, \.jitter_us),
      .scalar(\.accuracyLimit, \.accuracy_limit_meters, \.meters, Distance.meters),
      .time(\.expiration, \.expiration_us),
      .times(\.windows, \.windows_us, count: \.n_windows_us),
      .time(\.retryAfter, \.retry_after_us),
      .part(\.backoff, \.backoff, backoff, flotilla__v1__backoff__init),
      .part(\.adaptive, \.adaptive, adaptive, flotilla__v1__adaptive__init),
    ]
  }

  private static var backoff: [WireField<PushBackoff, Flotilla__V1__Backoff>] {
    [
      .scalar(\.after, \.after, { UInt32(clamping: $0) }, { Int($0) }),
      .number(\.factor, \.factor),
      .time(\.longest, \.longest_us),
    ]
  }

  private static var adaptive: [WireField<AdaptivePushing, Flotilla__V1__Adaptive>] {
    [
      .number(\.prior, \.prior),
      .number(\.weight, \.weight),
      .time(\.silentAfter, \.silent_after_us),
      .time(\.spacing, \.spacing_us),
      .number(\.caution, \.caution),
      .time(\.longest, \.longest_us),
    ]
  }
}
