internal import Core

enum PushSchema {
  static var push: ObjectShape<PushSettings> {
    ObjectShape(
      fields: schedule + answers + ways,
      check: { push, origin, reading in
        if push.spacing < push.within {
          reading.diagnose(
            origin, "'spacing' is shorter than 'within': two pushes would be open at once.")
        }
        // No run takes longer than a month.
        if push.terms.numberedUntil < reading.start + .hours(24 * 32) {
          reading.diagnose(
            origin, "'sweep' is too short for this 'start': at least 2s from 2038 on.")
        }
      })
  }

  private static var schedule: [Field<PushSettings>] {
    [
      Field("scheduler", \.terms.scheduler, .word(PushTerms.Scheduler.self), "none: no pushes."),
      Field(
        "silentAfter", \.terms.silentAfter, .time(.minutes(1), .hours(24 * 7)),
        "A phone silent for this long is due (SP1)."),
      Field("sweep", \.terms.sweep, .time(.seconds(1), .hours(1)), "How often the server looks."),
      Field(
        "spacing", \.terms.spacing, .time(.seconds(10), .hours(24 * 7)),
        "The least time between two pushes to one phone; at least 'within'."),
      Field("rate", \.terms.rate, .rate(0, 1_000_000), "The most pushes in scenario time."),
      Field(
        "jitter", \.terms.jitter, .time(.zero, .hours(24)),
        "Due phones wait up to this long more."),
      Field(
        "backoff", \.terms.backoff, backoff, "How phones that never answer are asked less often."),
      Field("adaptive", \.terms.adaptive, adaptive, "What 'scheduler: adaptive' makes of answers."),
      Field(
        "retryAfter", \.terms.retryAfter, .time(.seconds(10), .hours(24)),
        "Before a push is asked for again that the provider answered 429, 500 or 503."),
    ]
  }

  private static var answers: [Field<PushSettings>] {
    [
      Field(
        "within", \.terms.within, .time(.seconds(10), .hours(24)), "An answer counts this long."),
      Field(
        "windows", \.terms.windows, .list(of: .time(.seconds(10), .hours(24)), count: 0...8),
        "Further times within which an answer is looked for, if no longer than 'spacing'."),
      Field(
        "holdout", \.terms.holdout, .share, "Due phones that are not pushed, to see the uplift."),
      Field(
        "accuracyLimit", \.terms.accuracyLimit, .distance(1, 100_000), "A worse fix is no answer."),
    ]
  }

  private static var ways: [Field<PushSettings>] {
    [
      Field(
        "expiration", \.terms.expiration, .time(.zero, .hours(24 * 30)),
        "How long the provider stores a push (apns-expiration)."),
      Field("request", \.request, request, "What the server writes into a push."),
      Field("provider", \.provider, provider, "The service between server and phone."),
      Field("phone", \.phone, phone, "What the phone's system allows (rule book section 5)."),
    ]
  }

  private static var backoff: ObjectShape<PushBackoff> {
    ObjectShape(fields: [
      Field("after", \.after, .count(0...100), "Unanswered pushes before the first; 0: never."),
      Field("factor", \.factor, .number(1...10), "How the time between pushes grows."),
      Field("longest", \.longest, .time(.seconds(10), .hours(24 * 7)), "It grows no further."),
    ])
  }

  private static var adaptive: ObjectShape<AdaptivePushing> {
    ObjectShape(fields: [
      Field("prior", \.prior, .share, "What an unknown phone is believed to answer."),
      Field("weight", \.weight, .share, "Of the newest push against all before it."),
      Field(
        "silentAfter", \.silentAfter, .time(.minutes(1), .hours(24 * 7)),
        "The silence after which a phone that always answers is due."),
      Field(
        "spacing", \.spacing, .time(.seconds(10), .hours(24 * 7)),
        "Between pushes to a phone that always answers; at least the outer 'spacing'."),
      Field(
        "caution", \.caution, .number(0...4),
        "The spacing is divided by the share of answers to this power."),
      Field("longest", \.longest, .time(.seconds(10), .hours(24 * 7)), "It grows no further."),
    ])
  }

  private static var request: ObjectShape<PushRequest> {
    ObjectShape(fields: [
      Field("type", \.kind, .word(PushRequest.Kind.self), "apns-push-type."),
      Field("priority", \.priority, .count(0...10), "apns-priority: 1, 5 or 10."),
      Field("payload", \.payload, .size(0, 1_000_000), "Larger than 4096B is refused."),
      Field(
        "collapseIDLength", \.collapseIDLength, .count(0...1_000),
        "Bytes of apns-collapse-id; 0: none; more than 64 are refused."),
      Field(
        "credentials", \.credentials, .word(PushRequest.Credentials.self),
        "The server's own token at the provider."),
      Field(
        "contentAvailable", \.contentAvailable, .flag,
        "Whether an alert asks for time to run as well; the other types always do (AL1)."),
    ])
  }

  private static var provider: ObjectShape<ProviderSettings> {
    ObjectShape(fields: [
      Field(
        "latencyMedian", \.latencyMedian, .time(.milliseconds(1), .hours(1)),
        "From the provider to a connected phone."),
      Field("latencySigma", \.latencySigma, .number(0...3), "Of its logarithm."),
      Field(
        "keepsNewest", \.keepsNewest, .share, "Overwrites in which the newer push stays stored."),
      Field(
        "longestStorage", \.longestStorage, .time(.zero, .hours(24 * 30)),
        "A push is stored for the lesser of this and 'expiration'."),
      Field(
        "largestPayload", \.largestPayload, .size(0, 1_000_000), "A larger one is answered 413."),
      Field(
        "leastSpacing", \.leastSpacing, .time(.zero, .hours(24)),
        "The later of two pushes closer than this is answered 429; 0s: never."),
      Field(
        "learnsAfter", \.learnsAfter, .time(.hours(1), .hours(24 * 365)),
        "From the first push that finds no app to the first 410, the median (PN1)."),
      Field(
        "learnsSigma", \.learnsSigma, .number(0...3), "Of its logarithm; cut to 1 ... 90 days."),
      Field("neverLearns", \.neverLearns, .share, "Tokens of deleted apps that never get a 410."),
    ])
  }

  private static var phone: ObjectShape<PhonePushSettings> {
    ObjectShape(fields: grants + budgets + runs + channel)
  }

  private static var grants: [Field<PhonePushSettings>] {
    [
      Field(
        "budget", \.budget, .word(PhonePushSettings.Budget.self),
        "How wakes are granted: several at once, or one by one (SP4)."),
      Field("window", \.window, window, "What a window grants, and when one opens (SP4)."),
    ]
  }

  private static var window: ObjectShape<PushWindow> {
    ObjectShape(fields: [
      Field("grants", \.grants, .count(0...1_000), "Wakes that a window grants, at once if asked."),
      Field(
        "every", \.every, .time(.minutes(1), .hours(24)),
        "From the first wake of a window to the next window, on average."),
      Field(
        "spacing", \.spacing, .word(PushWindow.Spacing.self),
        "The law of that time: always the same, or at random."),
      Field("opensOnUse", \.opensOnUse, .flag, "A window opens when the owner opens the app."),
      Field(
        "opensOnCharger", \.opensOnCharger, .flag,
        "A window opens when the phone is put on a charger (SP7)."),
    ])
  }

  private static var budgets: [Field<PhonePushSettings>] {
    [
      Field(
        "bucketCapacity", \.bucketCapacity, .number(0...1_000),
        "Wakes that the OS saves up for the app, if 'budget' is 'drip'."),
      Field(
        "bucketRefillPerHour", \.bucketRefillPerHour, .number(0...1_000),
        "Wakes that the OS grants the app an hour, if 'budget' is 'drip'."),
      Field(
        "chargingFactor", \.chargingFactor, .number(0...100),
        "Of the pace at which wakes come back on a charger (SP7)."),
      Field("lowBatteryFactor", \.lowBatteryFactor, .number(0...100), "Of that pace below 20 %."),
      Field(
        "dayRunTime", \.dayRunTime, .time(.zero, .hours(24)),
        "Processor time for pushes a day; 0s: no limit."),
      Field("runCost", \.runCost, .share, "The part of a run that is processor time."),
      Field("dayData", \.dayData, .size(0, 1e12), "Bytes for pushes a day; 0B: no limit."),
    ]
  }

  private static var runs: [Field<PhonePushSettings>] {
    [
      Field(
        "penaltyAfter", \.penaltyAfter, .time(.zero, .minutes(10)),
        "A longer run, or one with satellites, lowers that pace."),
      Field("penaltyFactor", \.penaltyFactor, .share, "By how much each does."),
      Field("penaltyFloor", \.penaltyFloor, .share, "All together no further than this."),
      Field("penaltyLasts", \.penaltyLasts, .time(.seconds(1), .hours(24 * 7)), "For how long."),
      Field("runTime", \.runTime, .time(.seconds(1), .minutes(10)), "How long an app may run."),
      Field("holds", \.holds, .flag, "A push that may not be delivered now is kept, one an app."),
    ]
  }

  private static var channel: [Field<PhonePushSettings>] {
    [
      Field(
        "groupingOnBattery", \.groupingOnBattery, .time(.zero, .hours(24)),
        "Pushes to a locked phone wait uniformly up to this long."),
      Field(
        "groupingOnCharger", \.groupingOnCharger, .time(.zero, .hours(24)),
        "The same on a charger."),
      Field(
        "rideAlong", \.rideAlong, .number(0...1_000),
        "Pushes of priority 10 for other apps an hour that bring along what waits (SP6)."),
      Field("inUse", \.inUse, .share, "Pushes that find the phone in use, and do not wait."),
      Field(
        "extensionCapacity", \.extensionCapacity, .number(0...100_000),
        "Location pushes that the OS saves up."),
      Field(
        "extensionRefillPerHour", \.extensionRefillPerHour, .number(0...100_000),
        "Location pushes that the OS grants an hour."),
    ]
  }
}

extension Shape<ByteCount> {
  package static func size(_ from: Double, _ to: Double) -> Shape {
    let low = Quantity.text(from, Quantity.sizes)
    let high = Quantity.text(to, Quantity.sizes)
    return .scalar(
      "a size from \(low) to \(high) with its unit: B, k, M, G, KiB, MiB or GiB",
      parse: { (text, _) throws(ValueError) in
        let (number, unit) = try Quantity.parse(text, Quantity.sizes)
        let bytes = (number * unit.worth).rounded()
        guard (from...to).contains(bytes) else { throw ValueError("'\(text)' is out of range") }
        return ByteCount(bytes: Int64(bytes))
      },
      show: { value, _ in Quantity.text(Double(value.bytes), Quantity.sizes) })
  }
}
