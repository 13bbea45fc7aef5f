internal import Core

enum PushSchema {
  static var push: ObjectShape<PushSettings> {
    ObjectShape(
      fields: schedule + answers + ways,
      check: { push, origin, reading in
        if push.spacing < push.within {
          reading.diagnose(
            origin, "'spacing' must be at least 'within', so that pushes do not overlap.")
        }
        // No run takes longer than a month.
        if push.terms.numberedUntil < reading.start + .hours(24 * 32) {
          reading.diagnose(
            origin, "'sweep' is too short for this 'start'; write at least 2s from 2038 on.")
        }
      })
  }

  private static var schedule: [Field<PushSettings>] {
    [
      Field(
        "scheduler", \.terms.scheduler, .word(PushTerms.Scheduler.self),
        "Push scheduler; none: no pushes."),
      Field(
        "silentAfter", \.terms.silentAfter, .time(.minutes(1), .hours(24 * 7)),
        "Silence after which a phone is due for a push (SP1)."),
      Field(
        "sweep", \.terms.sweep, .time(.seconds(1), .hours(1)),
        "Interval at which the server looks for due phones."),
      Field(
        "spacing", \.terms.spacing, .time(.seconds(10), .hours(24 * 7)),
        "Minimum time between two pushes to a phone; at least 'within'."),
      Field("rate", \.terms.rate, .rate(0, 1_000_000), "Maximum push rate, in simulated time."),
      Field(
        "jitter", \.terms.jitter, .time(.zero, .hours(24)),
        "Maximum random delay of a due phone."),
      Field(
        "backoff", \.terms.backoff, backoff, "Backoff for phones that do not answer."),
      Field("adaptive", \.terms.adaptive, adaptive, "Settings of 'scheduler: adaptive'."),
      Field(
        "retryAfter", \.terms.retryAfter, .time(.seconds(10), .hours(24)),
        "Time until a push that the provider answered 429, 500 or 503 is retried."),
    ]
  }

  private static var answers: [Field<PushSettings>] {
    [
      Field(
        "within", \.terms.within, .time(.seconds(10), .hours(24)),
        "Time within which an answer counts."),
      Field(
        "windows", \.terms.windows, .list(of: .time(.seconds(10), .hours(24)), count: 0...8),
        "Additional times within which answers are counted, if at most 'spacing'."),
      Field(
        "holdout", \.terms.holdout, .share,
        "Share of due phones that are not pushed, to measure the uplift."),
      Field(
        "accuracyLimit", \.terms.accuracyLimit, .distance(1, 100_000),
        "Maximum accuracy radius of an answer; a worse fix does not count."),
    ]
  }

  private static var ways: [Field<PushSettings>] {
    [
      Field(
        "expiration", \.terms.expiration, .time(.zero, .hours(24 * 30)),
        "Time for which the provider stores a push (apns-expiration)."),
      Field("request", \.request, request, "Push request of the server."),
      Field("provider", \.provider, provider, "Push provider between server and phone."),
      Field("phone", \.phone, phone, "Limits of the phone's system on silent pushes."),
    ]
  }

  private static var backoff: ObjectShape<PushBackoff> {
    ObjectShape(fields: [
      Field(
        "after", \.after, .count(0...100),
        "Unanswered pushes before the first backoff; 0: no backoff."),
      Field("factor", \.factor, .number(1...10), "Growth factor of the time between pushes."),
      Field(
        "longest", \.longest, .time(.seconds(10), .hours(24 * 7)), "Maximum time between pushes."),
    ])
  }

  private static var adaptive: ObjectShape<AdaptivePushing> {
    ObjectShape(fields: [
      Field("prior", \.prior, .share, "Assumed answer rate of an unknown phone."),
      Field("weight", \.weight, .share, "Weight of the newest push against all earlier ones."),
      Field(
        "silentAfter", \.silentAfter, .time(.minutes(1), .hours(24 * 7)),
        "Silence after which a phone that always answers is due."),
      Field(
        "spacing", \.spacing, .time(.seconds(10), .hours(24 * 7)),
        "Time between pushes to a phone that always answers; at least the outer 'spacing'."),
      Field(
        "caution", \.caution, .number(0...4),
        "Power of the answer rate by which the spacing is divided."),
      Field(
        "longest", \.longest, .time(.seconds(10), .hours(24 * 7)), "Maximum time between pushes."),
    ])
  }

  private static var request: ObjectShape<PushRequest> {
    ObjectShape(fields: [
      Field("type", \.kind, .word(PushRequest.Kind.self), "apns-push-type."),
      Field("priority", \.priority, .count(0...10), "apns-priority: 1, 5 or 10."),
      Field(
        "androidPriority", \.androidPriority, .word(PushRequest.AndroidPriority.self),
        "Priority of the same push on Android (AFC1, AFC2)."),
      Field("payload", \.payload, .size(0, 1_000_000), "Payload size; more than 4096B is refused."),
      Field(
        "collapseIDLength", \.collapseIDLength, .count(0...1_000),
        "Length of apns-collapse-id in bytes; 0: none; more than 64 are refused."),
      Field(
        "credentials", \.credentials, .word(PushRequest.Credentials.self),
        "State of the server's provider token."),
      Field(
        "contentAvailable", \.contentAvailable, .flag,
        "Whether an alert also requests run time; the other types always do (AL1)."),
    ])
  }

  private static var provider: ObjectShape<ProviderSettings> {
    ObjectShape(fields: [
      Field(
        "wifiMedian", \.wifiMedian, .time(.milliseconds(1), .hours(1)),
        "Median latency from the provider to a phone on Wi-Fi (PN2)."),
      Field(
        "cellularMedian", \.cellularMedian, .time(.milliseconds(1), .hours(1)),
        "Median latency from the provider to a phone on cellular (PN2)."),
      Field(
        "latencySigma", \.latencySigma, .number(0...3),
        "Standard deviation of the natural logarithm of the latency."),
      Field(
        "halfOpen", \.halfOpen, .share,
        "Share of pushes over cellular that meet a connection the network has dropped (PN3)."),
      Field(
        "halfOpenLasts", \.halfOpenLasts, .time(.zero, .hours(2)),
        "Maximum time until the phone notices a dropped connection."),
      Field(
        "connectsAfterStart", \.connectsAfterStart, .time(.zero, .hours(1)),
        "Median time from switching the phone on to its connection to the provider (PN4)."),
      Field(
        "keepsNewest", \.keepsNewest, .share,
        "Share of cases in which a new push replaces the stored one; otherwise the new one is "
          + "dropped."),
      Field(
        "longestStorage", \.longestStorage, .time(.zero, .hours(24 * 30)),
        "Maximum storage time; the shorter of this and 'expiration' applies."),
      Field(
        "largestPayload", \.largestPayload, .size(0, 1_000_000),
        "Maximum payload; a larger one is answered 413."),
      Field(
        "leastSpacing", \.leastSpacing, .time(.zero, .hours(24)),
        "Minimum time between two pushes; a push that comes sooner is answered 429; 0s: no limit."),
      Field(
        "learnsAfter", \.learnsAfter, .time(.hours(1), .hours(24 * 365)),
        "Median time from the first push that finds no app to the first 410 (PN1)."),
      Field(
        "learnsSigma", \.learnsSigma, .number(0...3),
        "Standard deviation of the natural logarithm of 'learnsAfter'; times are limited to 1 to "
          + "90 days."),
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
        "How wakes are granted: windows of several at once, or a drip one by one (SP4)."),
      Field("window", \.window, window, "Wakes per window, and when a window opens (SP4)."),
    ]
  }

  private static var window: ObjectShape<PushWindow> {
    ObjectShape(fields: [
      Field(
        "grants", \.grants, .count(0...1_000),
        "Number of wakes per window, which may all follow at once."),
      Field(
        "every", \.every, .time(.minutes(1), .hours(24)),
        "Mean time from the first wake of a window to the next window."),
      Field(
        "spacing", \.spacing, .word(PushWindow.Spacing.self),
        "Distribution of the time 'every': constant or random."),
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
        "Maximum number of saved wakes, if 'budget' is 'drip'."),
      Field(
        "bucketRefillPerHour", \.bucketRefillPerHour, .number(0...1_000),
        "Wakes granted per hour, if 'budget' is 'drip'."),
      Field(
        "chargingFactor", \.chargingFactor, .number(0...100),
        "Factor on the refill rate of wakes on a charger (SP7)."),
      Field(
        "lowBatteryFactor", \.lowBatteryFactor, .number(0...100),
        "Factor on the refill rate of wakes below 20 % charge (SP7)."),
      Field(
        "unopenedHalfLife", \.unopenedHalfLife, .time(.zero, .hours(24 * 365)),
        "Half-life of the refill rate of wakes while the owner does not open the app; 0s: no decay "
          + "(SP12)."),
      Field(
        "dayRunTime", \.dayRunTime, .time(.zero, .hours(24)),
        "CPU time for pushes per day; 0s: no limit."),
      Field("runCost", \.runCost, .share, "Share of a push's run time that is CPU time."),
      Field("dayData", \.dayData, .size(0, 1e12), "Bytes for pushes per day; 0B: no limit."),
    ]
  }

  private static var runs: [Field<PhonePushSettings>] {
    [
      Field(
        "penaltyAfter", \.penaltyAfter, .time(.zero, .minutes(10)),
        "Length above which a run lowers the refill rate of wakes; a run with satellites always "
          + "lowers it."),
      Field(
        "penaltyFactor", \.penaltyFactor, .share,
        "Factor on the refill rate of wakes for each run that lowers it."),
      Field(
        "penaltyFloor", \.penaltyFloor, .share,
        "Minimum of the product of all penalty factors."),
      Field(
        "penaltyLasts", \.penaltyLasts, .time(.seconds(1), .hours(24 * 7)),
        "Time constant with which the effect of a run on the refill rate decays."),
      Field(
        "runTime", \.runTime, .time(.seconds(1), .minutes(10)),
        "Maximum run time of the app per push."),
      Field(
        "unfinishedCost", \.unfinishedCost, .number(0...1_000),
        "Cost, in wakes, of a run that takes longer than 'runTime' (SP11)."),
      Field(
        "holds", \.holds, .flag,
        "Hold a push that may not be delivered now, at most one per app."),
    ]
  }

  private static var channel: [Field<PhonePushSettings>] {
    [
      Field(
        "pendingLaunch", \.pendingLaunch, .time(.zero, .minutes(1)),
        "Time for which a launch is pending; a newer push replaces it (SP6)."),
      Field(
        "closedAfterStart", \.closedAfterStart, .time(.zero, .hours(2)),
        "Time without launches after the phone's start and first unlock (SP9)."),
      Field(
        "closedAfterOutage", \.closedAfterOutage, .time(.zero, .hours(2)),
        "Time without launches after a long time without network (SP9)."),
      Field(
        "longOutage", \.longOutage, .time(.minutes(1), .hours(24)),
        "Time without network that counts as long (SP9)."),
      Field(
        "nightSlot", \.nightSlot, .time(.zero, .hours(8)),
        "Time from the start of a night to the first launch on an unused phone on battery; later "
          + "waits double; 0s: nights are like days (SP10)."),
      Field(
        "extensionCapacity", \.extensionCapacity, .number(0...100_000),
        "Maximum number of saved location pushes."),
      Field(
        "extensionRefillPerHour", \.extensionRefillPerHour, .number(0...100_000),
        "Location pushes granted per hour."),
      Field(
        "extensionInLowPower", \.extensionInLowPower, .share,
        "Location pushes to phones in Low Power Mode that run the extension (SP14)."),
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
