internal import Core

enum ModeSchema {
  static var mode: ObjectShape<TrackerMode> {
    ObjectShape(
      fields: service(\TrackerMode.service) + [
        Field("filter", \.filter, FilterSchema.filter, "Which fixes the app keeps."),
        Field(
          "rest", \.rest, .optional(rest.shape(defaults: .standard)),
          "Rest detection, and the services used at rest (AC5)."),
      ],
      check: { mode, origin, reading in check(mode.service, origin, &reading) })
  }

  private static var rest: ObjectShape<RestRule> {
    ObjectShape(
      fields: [Field("sign", \.sign, sign, required: true, "Sign that the phone is at rest.")]
        + service(\RestRule.service) + [
          Field(
            "regionRadius", \.regionRadius, .optional(.distance(100, 50_000)),
            "Radius of the region whose exit ends the rest, at least 100 m (RG1).")
        ],
      check: { rest, origin, reading in check(rest.service, origin, &reading) })
  }

  private static func service<Owner>(
    _ path: WritableKeyPath<Owner, ServiceUse>
  ) -> [Field<Owner>] {
    [
      Field(
        "standard", path.appending(path: \.pattern), pattern,
        "When the standard location service is on."),
      Field(
        "accuracy", path.appending(path: \.accuracy), .word(DesiredAccuracy.self),
        "Desired accuracy (AC1)."),
      Field(
        "distanceFilter", path.appending(path: \.distanceFilter), .distanceFilter,
        "Minimum distance between two fixes (AC4, AC5)."),
      Field(
        "elasticity", path.appending(path: \.elasticity), .number(0...100),
        "Growth of the distance filter with speed; 0: none."),
      Field(
        "pausesAutomatically", path.appending(path: \.pausesAutomatically), .flag,
        "pausesLocationUpdatesAutomatically (PT1, PT4)."),
      Field(
        "activityType", path.appending(path: \.activityType), .word(ActivityType.self),
        "Hint for automatic pauses (PT4, SF3)."),
      Field(
        "deferral", path.appending(path: \.deferral), .optional(deferral),
        "Defer fixes until either limit is reached (DF1)."),
      Field(
        "liveUpdates", path.appending(path: \.liveUpdates), .flag,
        "Use CLLocationUpdate.liveUpdates, from iOS 17 on (LU1)."),
    ]
  }

  private static func check(_ use: ServiceUse, _ origin: Origin, _ reading: inout Reading) {
    if use.liveUpdates, use.pattern != .continuous {
      reading.diagnose(
        origin, "'liveUpdates' needs 'standard: continuous'; write both.")
    }
    if use.elasticity > 0 {
      switch use.distanceFilter {
      case .atLeast: break
      case .none, .max:
        reading.diagnose(
          origin,
          "'elasticity' needs a 'distanceFilter' such as 10m; write both or neither.")
      }
    }
  }

  private static var deferral: Shape<Deferral> {
    ObjectShape<Deferral>(fields: [
      Field("distance", \.distance, .distance(1, 1_000_000), "Distance limit."),
      Field("time", \.time, .time(.seconds(1), .hours(24)), "Time limit."),
    ]).shape(defaults: Deferral(distance: .kilometers(1), time: .minutes(5)))
  }

  private struct Burst {
    var duration = SimDuration.seconds(20)
    var minInterval = SimDuration.seconds(180)
  }

  private struct Cycle {
    var on = SimDuration.seconds(10)
    var period = SimDuration.seconds(60)
  }

  private struct Poll {
    var every = SimDuration.seconds(150)
    var timeout = SimDuration.seconds(20)
  }

  static var pattern: Shape<ServiceUse.Pattern> {
    .oneOf([
      .word("off", .off), .word("continuous", .continuous),
      .map(
        "burst", burst.shape(defaults: Burst()),
        { .burst(duration: $0.duration, minInterval: $0.minInterval) },
        { pattern in
          guard case .burst(let duration, let minInterval) = pattern else { return nil }
          return Burst(duration: duration, minInterval: minInterval)
        }),
      .map(
        "dutyCycle", cycle.shape(defaults: Cycle()), { .dutyCycle(on: $0.on, period: $0.period) },
        { pattern in
          guard case .dutyCycle(let on, let period) = pattern else { return nil }
          return Cycle(on: on, period: period)
        }),
      .map(
        "polled", poll.shape(defaults: Poll()), { .polled(every: $0.every, timeout: $0.timeout) },
        { pattern in
          guard case .polled(let every, let timeout) = pattern else { return nil }
          return Poll(every: every, timeout: timeout)
        }),
    ])
  }

  private static var burst: ObjectShape<Burst> {
    ObjectShape(fields: [
      Field(
        "for", \.duration, .time(.seconds(1), .hours(1)),
        "Length of a burst, from the first fix (HY1)."),
      Field(
        "minInterval", \.minInterval, .time(.zero, .hours(24)),
        "Minimum time between two bursts (HY1)."),
    ])
  }

  private static var cycle: ObjectShape<Cycle> {
    ObjectShape(
      fields: [
        Field(
          "on", \.on, .time(.seconds(1), .hours(1)),
          "Time that the service is on, from the first fix (DC1)."),
        Field(
          "period", \.period, .time(.seconds(2), .hours(24)),
          "Time from the first fix to the next start (DC2)."),
      ],
      check: { cycle, origin, reading in
        if cycle.on >= cycle.period {
          reading.diagnose(
            origin, "'on' must be shorter than 'period'; if it is never off, write continuous.")
        }
      })
  }

  private static var poll: ObjectShape<Poll> {
    ObjectShape(
      fields: [
        Field("every", \.every, .time(.seconds(1), .hours(24)), "Time between two requests."),
        Field("timeout", \.timeout, .time(.seconds(1), .hours(1)), "Timeout of a request."),
      ],
      check: { poll, origin, reading in
        if poll.every < poll.timeout {
          reading.diagnose(
            origin, "'every' must be at least 'timeout', so that requests do not overlap.")
        }
      })
  }

  private struct Still {
    var time = SimDuration.minutes(5)
    var within = Distance.meters(70)
  }

  private static var sign: Shape<RestRule.Sign> {
    let still = ObjectShape<Still>(fields: [
      Field(
        "time", \.time, .time(.seconds(1), .hours(24)),
        "Time for which all fixes must lie in the radius 'within'."),
      Field(
        "within", \.within, .distance(1, 10_000),
        "Radius in which all fixes of a phone at rest must lie."),
    ])
    return .oneOf([
      .map(
        "motion", .activities, { .motion(active: $0) },
        { sign in
          guard case .motion(let active) = sign else { return nil }
          return active
        }),
      .map(
        "still", still.shape(defaults: Still()), { .still(time: $0.time, within: $0.within) },
        { sign in
          guard case .still(let time, let within) = sign else { return nil }
          return Still(time: time, within: within)
        }),
    ])
  }
}

extension Shape<MotionActivities> {
  fileprivate static var activities: Shape {
    let words = MotionActivity.allCases.map { ("\($0)", $0) }
    return Shape<[MotionActivity]>.list(
      of: .word(words, name: { "\($0)" }), count: 1...words.count
    ).mapped(
      { MotionActivities($0.map { MotionActivities($0) }) },
      { set in MotionActivity.allCases.filter { set.contains($0) } })
  }
}

extension Shape<DistanceFilter> {
  fileprivate static var distanceFilter: Shape {
    let distance = Shape<Distance>.distance(1, 100_000)
    return Shape(
      allowed: "none, max or \(distance.allowed)",
      form: .either([.words(["none", "max"]), distance.form]),
      read: { node, reading in
        switch node.content {
        case .scalar("none"): DistanceFilter.none
        case .scalar("max"): .max
        case .scalar, .map, .list: distance.read(node, &reading).map { .atLeast($0) }
        }
      },
      show: { filter, scenario in
        switch filter {
        case .none: .scalar("none")
        case .max: .scalar("max")
        case .atLeast(let value): distance.show(value, scenario)
        }
      })
  }
}
