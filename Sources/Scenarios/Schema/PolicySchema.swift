internal import SimulationCore

/// The keys of a policy, in a file of its own or inline in a scenario.
enum PolicySchema {
  static var policy: ObjectShape<Policy> {
    ObjectShape(fields: [
      Field("name", \.name, .name, "How cohorts refer to this policy; a file's own name."),
      Field("description", \.description, .sentence, "What the policy is for."),
      Field(
        "version", \.settings.version, .count(1...UInt32.max),
        "Settings from the server grow (HY2)."),
      Field(
        "significantChange", \.settings.significantChange, .flag,
        "Significant-change service on (SL1)."),
      Field("visits", \.settings.visits, .flag, "Visit monitoring on (VI1)."),
      Field(
        "regionRadius", \.settings.regionRadius, .optional(.distance(100, 50_000)),
        "Radius of the region kept round the last fix, at least 100 m (RG1)."),
      Field("foreground", \.settings.foreground, mode, "While in use (HY2)."),
      Field("background", \.settings.background, mode, "Otherwise (HY2)."),
      Field("send", \.settings.send, send, "When batches travel."),
      Field("outbox", \.settings.outbox, outbox, "What waits."),
      Field(
        "onPush", \.settings.onPush, .word(PushResponse.self), "Answer to a silent push (SP2)."),
    ])
  }

  static var mode: ObjectShape<TrackerMode> {
    ObjectShape(fields: [
      Field("standard", \.service.pattern, standard, "When the standard location service is on."),
      Field("accuracy", \.service.accuracy, .word(DesiredAccuracy.self), "Desired accuracy (AC1)."),
      Field(
        "distanceFilter", \.service.distanceFilter.distance, .optional(.distance(1, 100_000)),
        "The least movement between two fixes (AC4)."),
      Field("filter", \.filter, filter, "Which fixes the app keeps."),
    ])
  }

  struct Burst {
    var duration = SimDuration.seconds(20)
    var minInterval = SimDuration.seconds(180)
  }

  static var standard: Shape<ServiceUse.Pattern> {
    let burst = ObjectShape<Burst>(fields: [
      Field("for", \.duration, .time(.seconds(1), .hours(1)), "On from the first fix (HY1)."),
      Field(
        "minInterval", \.minInterval, .time(.zero, .hours(24)), "The least time between (HY1)."),
    ])
    return .oneOf([
      .word("off", .off), .word("continuous", .continuous),
      .map(
        "burst", burst.shape(defaults: Burst()),
        { .burst(duration: $0.duration, minInterval: $0.minInterval) },
        { mode in
          guard case .burst(let duration, let minInterval) = mode else { return nil }
          return Burst(duration: duration, minInterval: minInterval)
        }),
    ])
  }

  static var filter: ObjectShape<FixFilter> {
    ObjectShape(fields: [
      Field("rule", \.rule, rule, "Which fixes count as news."),
      Field("maxAge", \.maxAge, .time(.seconds(1), .hours(24)), "Older is stale (SL5, NO3)."),
      Field(
        "maxAccuracy", \.maxAccuracy, .optional(.distance(1, 100_000)), "Worse is dropped."),
    ])
  }

  struct Minimum {
    var time = SimDuration.seconds(60)
    var distance = Distance.meters(100)
  }

  struct Significant {
    var time = SimDuration.seconds(300)
    var accuracyRatio = 0.5
    var dramatic = Distance.meters(1_000)
    var distance = Distance.meters(100)
  }

  static var rule: Shape<FixFilter.Rule> {
    .oneOf([
      .word("everything", .everything),
      .map(
        "minimum", minimum.shape(defaults: Minimum()),
        { .minimum(time: $0.time, distance: $0.distance) },
        { rule in
          guard case .minimum(let time, let distance) = rule else { return nil }
          return Minimum(time: time, distance: distance)
        }),
      .map(
        "significant", significant.shape(defaults: Significant()),
        {
          .significant(
            time: $0.time, accuracyRatio: $0.accuracyRatio, dramatic: $0.dramatic,
            distance: $0.distance)
        },
        { rule in
          guard case .significant(let time, let ratio, let dramatic, let distance) = rule else {
            return nil
          }
          return Significant(
            time: time, accuracyRatio: ratio, dramatic: dramatic, distance: distance)
        }),
    ])
  }

  private static var minimum: ObjectShape<Minimum> {
    ObjectShape(fields: [
      Field("time", \.time, .time(.zero, .hours(24)), "Sooner is dropped (EF1)."),
      Field("distance", \.distance, .distance(0, 100_000), "Nearer is dropped (EF1)."),
    ])
  }

  private static var significant: ObjectShape<Significant> {
    ObjectShape(
      fields: [
        Field("time", \.time, .time(.zero, .hours(24)), "Kept after this long (HY5)."),
        Field("accuracyRatio", \.accuracyRatio, .number(0...1), "Kept if so much better (HY5)."),
        Field("dramatic", \.dramatic, .distance(0, 100_000), "Kept at any accuracy (HY5)."),
        Field(
          "distance", \.distance, .distance(0, 100_000), "Kept unless the accuracy fell (HY5)."),
      ],
      check: { rule, origin, reading in
        if rule.dramatic < rule.distance {
          reading.complain(origin, "'dramatic' is less than 'distance'; it must not be.")
        }
      })
  }

  static var send: ObjectShape<SendSettings> {
    ObjectShape(
      fields: [
        Field("interval", \.interval, .time(.zero, .hours(24)), "Least time between uploads."),
        Field("maxFixes", \.maxFixes, .count(1...10_000), "The most fixes of one batch."),
        Field("backgroundTask", \.backgroundTask, .flag, "Held while sending (LC7, HY6)."),
        Field(
          "backoffBase", \.backoffBase, .time(.milliseconds(100), .hours(1)), "First back-off."),
        Field("backoffCap", \.backoffCap, .time(.milliseconds(100), .hours(24)), "Longest one."),
      ],
      check: { send, origin, reading in
        if send.backoffCap < send.backoffBase {
          reading.complain(origin, "'backoffCap' is less than 'backoffBase'; it must not be.")
        }
      })
  }

  static var outbox: ObjectShape<OutboxSettings> {
    ObjectShape(fields: [
      Field(
        "capacity", \.capacity, .count(1...1_000_000), "Fixes kept; the oldest makes room first.")
    ])
  }
}

extension DistanceFilter {
  fileprivate var distance: Distance? {
    get {
      switch self {
      case .none: nil
      case .atLeast(let distance): distance
      case .max: .meters(1e9)
      }
    }
    set { self = newValue.map { .atLeast($0) } ?? .none }
  }
}
