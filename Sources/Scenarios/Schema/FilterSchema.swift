internal import Core

enum FilterSchema {
  static var filter: ObjectShape<FixFilter> {
    ObjectShape(fields: [
      Field("rule", \.rule, rule, "Which fixes are kept."),
      Field(
        "maxAge", \.maxAge, .time(.seconds(1), .hours(24)),
        "Maximum age of a fix; older fixes are dropped as stale (SL5, NO3)."),
      Field(
        "maxAccuracy", \.maxAccuracy, .optional(.distance(1, 100_000)),
        "Maximum accuracy radius of a fix; worse fixes are dropped."),
      Field(
        "against", \.against, .word(FixFilter.Reference.self),
        "The fix that a new fix is compared with: the last one kept, or the last one delivered "
          + "(EF1)."),
    ])
  }

  struct Minimum {
    var time = SimDuration.seconds(60)
    var distance = Distance.meters(100)
  }

  struct Either {
    var time = SimDuration.seconds(300)
    var distance = Distance.meters(100)
    var turn = 360.0
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
        "either", either.shape(defaults: Either()),
        { .either(time: $0.time, distance: $0.distance, turn: $0.turn) },
        { rule in
          guard case .either(let time, let distance, let turn) = rule else { return nil }
          return Either(time: time, distance: distance, turn: turn)
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
      Field("time", \.time, .time(.zero, .hours(24)), "Minimum time between two fixes (EF1)."),
      Field(
        "distance", \.distance, .distance(0, 100_000), "Minimum distance between two fixes (EF1)."),
    ])
  }

  private static var either: ObjectShape<Either> {
    ObjectShape(fields: [
      Field(
        "time", \.time, .time(.zero, .hours(24)),
        "Time since the last fix after which a fix is kept."),
      Field(
        "distance", \.distance, .distance(0, 100_000),
        "Distance from the last fix beyond which a fix is kept."),
      Field(
        "turn", \.turn, .number(0...360),
        "Turn, in degrees, beyond which a fix is kept; 360: never."),
    ])
  }

  private static var significant: ObjectShape<Significant> {
    ObjectShape(
      fields: [
        Field(
          "time", \.time, .time(.zero, .hours(24)),
          "Time since the last fix after which a fix is kept (HY5)."),
        Field(
          "accuracyRatio", \.accuracyRatio, .number(0...1),
          "Ratio of a fix's accuracy radius to the last fix's up to which the fix is kept (HY5)."),
        Field(
          "dramatic", \.dramatic, .distance(0, 100_000),
          "Distance beyond which a fix of any accuracy is kept (HY5)."),
        Field(
          "distance", \.distance, .distance(0, 100_000),
          "Distance beyond which a fix is kept unless its accuracy is worse than the last fix's "
            + "(HY5)."),
      ],
      check: { rule, origin, reading in
        if rule.dramatic < rule.distance {
          reading.diagnose(origin, "'dramatic' must be at least 'distance'.")
        }
      })
  }
}
