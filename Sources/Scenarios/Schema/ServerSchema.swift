internal import SimulationCore

/// The keys under `push`, `collector`, `network` and `slo`.
enum ServerSchema {
  static var push: ObjectShape<PushSettings> {
    ObjectShape(
      fields: [
        Field(
          "scheduler", \.scheduler, .word(PushSettings.Scheduler.self), "none: no pushes."),
        Field(
          "silentAfter", \.silentAfter, .time(.minutes(1), .hours(24 * 7)),
          "A phone silent for this long is due (SP1)."),
        Field("within", \.within, .time(.seconds(10), .hours(24)), "An answer counts this long."),
        Field("sweep", \.sweep, .time(.seconds(1), .hours(1)), "How often the server looks."),
        Field(
          "spacing", \.spacing, .time(.seconds(10), .hours(24 * 7)),
          "The least time between two pushes to one phone; at least 'within'."),
        Field("rate", \.rate, .rate(0, 1_000_000), "The most pushes in scenario time."),
        Field("holdout", \.holdout, .share, "Due phones that are not pushed, to see the uplift."),
        Field(
          "jitter", \.jitter, .time(.zero, .hours(24)), "Due phones wait up to this long more."),
        Field(
          "accuracyLimit", \.accuracyLimit, .distance(1, 100_000), "A worse fix is no answer."),
        Field(
          "expiration", \.expiration, .time(.zero, .hours(24 * 30)),
          "How long the provider stores a push (apns-expiration)."),
        Field(
          "bucketCapacity", \.bucketCapacity, .number(0...1_000),
          "Wakes that the OS saves up for the app (rule book section 5)."),
        Field(
          "bucketRefillPerHour", \.bucketRefillPerHour, .number(0...1_000),
          "Wakes that the OS grants the app an hour (rule book section 5)."),
      ],
      check: { push, origin, reading in
        if push.spacing < push.within {
          reading.complain(
            origin, "'spacing' is shorter than 'within': two pushes would be open at once.")
        }
      })
  }

  static var collector: ObjectShape<CollectorSettings> {
    ObjectShape(fields: [
      Field(
        "workers", \.workers, .count(1...1),
        "Event loops of the collector; one, until it learns to share."),
      Field("store", \.store, .word(CollectorSettings.Store.self), "none: measure only."),
      Field(
        "groupDelay", \.groupDelay, .time(.zero, .seconds(1)),
        "The longest a batch waits for others before a commit."),
    ])
  }

  static var network: ObjectShape<NetworkModel> {
    ObjectShape(fields: [
      Field("cellular", \.cellular, path, "On LTE."),
      Field("wifi", \.wifi, path, "On Wi-Fi."),
      Field("deadline", \.deadline, .time(.milliseconds(10), .minutes(10)), "Of a call."),
    ])
  }

  private static var path: ObjectShape<NetworkModel.Path> {
    ObjectShape(fields: [
      Field("floor", \.floor, .time(.zero, .minutes(10)), "The least time from packet to ack."),
      Field("mean", \.mean, .time(.zero, .minutes(10)), "The mean of what comes on top."),
    ])
  }

  static var levels: ObjectShape<ServiceLevels> {
    let fresh = ServiceLevels.Share(of: .reachable, within: .minutes(30), share: 0)
    let near = ServiceLevels.Located(of: .reachable, within: .meters(500), share: 0)
    return ObjectShape(fields: [
      Field(
        "responseP99", \.responseP99, .optional(.time(.microseconds(1), .hours(1))),
        "The 99th percentile of response, at most."),
      Field("lost", \.lost, .optional(.count(0...Int.max)), "Acknowledged but not held, at most."),
      Field(
        "undelivered", \.undelivered, .optional(.share), "Fixes evicted or refused, at most."),
      Field(
        "freshness", \.freshness, .optional(freshness.shape(defaults: fresh)),
        "Phone-time with a young enough fix, at least."),
      Field(
        "located", \.located, .optional(located.shape(defaults: near)),
        "Phone-time with a near enough fix, at least."),
      Field("answered", \.answered, .optional(.share), "Eligible pushes answered, at least."),
    ])
  }

  private static var freshness: ObjectShape<ServiceLevels.Share> {
    ObjectShape(fields: [
      Field("of", \.of, .word(Population.self), "Among which phones."),
      Field("within", \.within, .time(.seconds(1), .hours(24 * 7)), "How young a fix must be."),
      Field("share", \.share, .share, required: true, "Of their phone-time, at least."),
    ])
  }

  private static var located: ObjectShape<ServiceLevels.Located> {
    ObjectShape(fields: [
      Field("of", \.of, .word(Population.self), "Among which phones."),
      Field("within", \.within, .distance(1, 100_000), "How near a fix must be."),
      Field("share", \.share, .share, required: true, "Of their phone-time, at least."),
    ])
  }
}
