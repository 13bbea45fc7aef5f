internal import Core

/// The keys of a sensor profile with their sources. "Recorded phones" are the traces and rides that
/// `flotilla-lab calibrate` compares with simulated ones; parameters set from them are `fitted`.
extension ProfileSchema {
  nonisolated(unsafe) static let sensors = ObjectShape<Named<SensorProfile>>(
    fields: identity() + [
      Field(
        "satellites", \.value.satellites, satellites,
        "Error of satellite positions, by surroundings."),
      Field("wifi", \.value.wifi, wifi, "Error of Wi-Fi positions, by surroundings."),
      Field("cell", \.value.cell, meters, "Error of cell positions in towns: σ per axis."),
      Field(
        "cellOpen", \.value.cellOpen, meters, "Error of cell positions in open country: σ per axis."
      ),
      Field(
        "networks", \.value.networks, networks,
        "Where Wi-Fi networks with known positions are in range (SL10)."),
      Field("moving", \.value.moving, moving, "Errors in motion."),
      Field("rest", \.value.rest, rest, "Errors at rest (NO1)."),
      Field(
        "leaps", \.value.leaps, leaps, "Jumps to the position of another tower or access point."),
      Field("reported", \.value.reported, reported, "Accuracy that phones report."),
      Field("settling", \.value.settling, settling, "Errors of the first fixes after a start."),
      Field("reduced", \.value.reduced, reduced, "Positions with Precise Location off (iOS 14)."),
    ]
  ).bound(to: Shipped.sensors)

  // MARK: Units

  private static var meters: Shape<Double> {
    Shape<Distance>.distance(0, 1_000_000).mapped(\.meters, Distance.init(meters:))
  }
  private static var seconds: Shape<Double> {
    Shape<SimDuration>.time(.milliseconds(1), .hours(24))
      .mapped(\.seconds, SimDuration.init(seconds:))
  }
  private static var speed: Shape<Double> {
    Shape<Speed>.speed(0, 10_000).mapped(\.metersPerSecond, Speed.init(metersPerSecond:))
  }
  /// The shape of a logarithm's standard deviation.
  private static var sigma: Shape<Double> { .number(0...3) }

  // MARK: By source

  private static var satellites: ObjectShape<SensorProfile.Spread> {
    spread(tunnel: "σ per axis without satellite reception; never used alone.")
  }

  private static var wifi: ObjectShape<SensorProfile.Spread> {
    spread(tunnel: "σ per axis below ground.")
  }

  private static func spread(tunnel: String) -> ObjectShape<SensorProfile.Spread> {
    ObjectShape(fields: [
      Field("open", \.open, meters, "σ per axis under the open sky."),
      Field("street", \.street, meters, "σ per axis between houses."),
      Field("indoor", \.indoor, meters, "σ per axis in buildings."),
      Field("tunnel", \.tunnel, meters, tunnel),
    ])
  }

  private static var networks: ObjectShape<SensorProfile.Networks> {
    ObjectShape(fields: [
      Field("open", \.open, .share, "Share of the time in open country with networks in range."),
      Field("street", \.street, .share, "Share of the time between houses with networks in range."),
      Field("indoor", \.indoor, .share, "Share of the stays in buildings with networks in range."),
      Field("tunnel", \.tunnel, .share, "Share of the time below ground with networks in range."),
      Field(
        "slot", \.slotSeconds, seconds,
        "Time for which a moving phone has the same networks in range."),
    ])
  }

  // MARK: In motion and at rest

  private static var moving: ObjectShape<SensorProfile.Moving> {
    ObjectShape(fields: [
      Field(
        "streetCorrelation", \.streetCorrelationSeconds, seconds,
        "Correlation time of errors between houses."),
      Field(
        "openCorrelation", \.openCorrelationSeconds, seconds,
        "Correlation time of errors in the open."),
      Field(
        "unevenness", \.unevenness, sigma,
        "σ of the natural logarithm of the errors' spread over time."),
      Field(
        "phoneUnevenness", \.phoneUnevenness, sigma,
        "σ of the natural logarithm of the errors' spread between phones."),
      Field(
        "acrossTrackBias", \.acrossTrackBias, meters,
        "Bias of a phone model to one side of its track."),
      Field(
        "tunnelHold", \.tunnelHoldSeconds, seconds,
        "Time for which a network position is held below ground."),
    ])
  }

  private static var rest: ObjectShape<SensorProfile.Rest> {
    ObjectShape(
      fields: creep + holds,
      check: { rest, origin, reading in
        if rest.stillnessMin > rest.stillnessMax {
          reading.diagnose(origin, "'stillnessMin' exceeds 'stillnessMax'.")
        }
      })
  }

  private static var creep: [Field<SensorProfile.Rest>] {
    [
      Field(
        "correlation", \.correlationSeconds, seconds,
        "Correlation time of the creep, the slow drift of positions at rest."),
      Field("creep", \.creep, meters, "σ per axis of the creep, in the median stay and minute."),
      Field(
        "placeUnevenness", \.placeUnevenness, sigma,
        "σ of the natural logarithm of the spread of network positions between stays."),
      Field(
        "stayUnevenness", \.stayUnevenness, sigma,
        "σ of the natural logarithm of the creep between stays."),
      Field(
        "minuteUnevenness", \.minuteUnevenness, sigma,
        "σ of the natural logarithm of the creep between minutes."),
      Field(
        "jitter", \.jitter, meters, "σ per axis of each new position, in addition to the creep."),
    ]
  }

  private static var holds: [Field<SensorProfile.Rest>] {
    [
      Field(
        "stillnessMin", \.stillnessMin, .share,
        "Minimum over all stays of the share of a stay in which positions are held."),
      Field(
        "stillnessMax", \.stillnessMax, .share,
        "Maximum over all stays of the share of a stay in which positions are held."),
      Field(
        "longestHold", \.longestHoldSeconds, holdSeconds,
        "Maximum time for which a position is held."),
      Field(
        "holdHalvings", \.holdHalvings, .count(0...16),
        "Number of halvings; a hold lasts 1, 1/2, 1/4, … of 'longestHold', equally likely."),
    ]
  }

  private static var holdSeconds: Shape<Double> {
    Shape<SimDuration>.time(.seconds(1), .hours(24))
      .mapped(\.seconds, SimDuration.init(seconds:))
  }

  private static var leaps: ObjectShape<SensorProfile.Leaps> {
    ObjectShape(
      fields: [
        Field("perHour", \.perHourAtRest, .number(0...6), "Leaps per hour of a phone at rest."),
        Field("min", \.metersMin, leapMeters, "Minimum distance of a leap."),
        Field("max", \.metersMax, leapMeters, "Maximum distance of a leap."),
        Field("lastsMin", \.secondsMin, seconds, "Minimum duration of a leap."),
        Field("lastsMax", \.secondsMax, seconds, "Maximum duration of a leap."),
        Field(
          "admitted", \.admittedMeters, meters,
          "Distance from which the phone reports a cell position."),
        Field(
          "misplaced", \.misplaced, .share,
          "Leaps to an access point with a wrong position, which keep their usual accuracy."),
        Field("slot", \.slotSeconds, seconds, "Length of a slot, which has at most one leap."),
      ],
      check: { leaps, origin, reading in
        if leaps.metersMin > leaps.metersMax { reading.diagnose(origin, "'min' exceeds 'max'.") }
        if leaps.secondsMin > leaps.secondsMax {
          reading.diagnose(origin, "'lastsMin' exceeds 'lastsMax'.")
        }
        if leaps.slotSeconds < leaps.secondsMax {
          reading.diagnose(origin, "'slot' is shorter than 'lastsMax'.")
        }
      })
  }

  private static var leapMeters: Shape<Double> {
    Shape<Distance>.distance(0.001, 1_000_000).mapped(\.meters, Distance.init(meters:))
  }

  // MARK: What is reported

  private static var reported: ObjectShape<SensorProfile.Reported> {
    ObjectShape(
      fields: accuracies + steps + limits,
      check: { reported, origin, reading in
        if reported.wifiFineMeters > reported.wifiMeters
          || reported.wifiMeters > reported.wifiCoarseMeters
        {
          reading.diagnose(origin, "'wifiFine', 'wifi' and 'wifiCoarse' must not decrease.")
        }
        if reported.cellFineMeters > reported.cellMeters
          || reported.cellMeters > reported.cellCoarseMeters
        {
          reading.diagnose(origin, "'cellFine', 'cell' and 'cellCoarse' must not decrease.")
        }
      })
  }

  /// The shape of a reported accuracy, which a phone stores as metres in sixteen bits.
  private static var reportedMeters: Shape<Double> {
    Shape<Distance>.distance(0, 65_535).mapped(\.meters, Distance.init(meters:))
  }

  private static var accuracies: [Field<SensorProfile.Reported>] {
    [
      Field(
        "caution", \.caution, .number(0.01...100),
        "Ratio of the reported accuracy to the radius that contains 68 % of the errors."),
      Field(
        "unevenness", \.unevenness, .number(0...3),
        "Maximum error of the logarithm of the reported accuracy, uniformly distributed."),
      Field(
        "mood", \.moodSeconds, seconds,
        "Time for which the error of the reported accuracy stays the same."),
    ]
  }

  private static var steps: [Field<SensorProfile.Reported>] {
    [
      Field(
        "wifiFine", \.wifiFineMeters, reportedMeters,
        "Reported accuracy of a good Wi-Fi position."),
      Field("wifi", \.wifiMeters, reportedMeters, "Reported accuracy of a usual Wi-Fi position."),
      Field(
        "wifiCoarse", \.wifiCoarseMeters, reportedMeters,
        "Reported accuracy of a poor Wi-Fi position."),
      Field(
        "cellFine", \.cellFineMeters, reportedMeters, "Reported accuracy of a good cell position."),
      Field("cell", \.cellMeters, reportedMeters, "Reported accuracy of a usual cell position."),
      Field(
        "cellCoarse", \.cellCoarseMeters, reportedMeters,
        "Reported accuracy of a poor cell position."),
    ]
  }

  private static var limits: [Field<SensorProfile.Reported>] {
    [
      Field(
        "satellitesMin", \.satelliteMetersMin, reportedMeters,
        "Best accuracy reported with satellites."),
      Field(
        "satellitesMax", \.satelliteMetersMax, reportedMeters,
        "Worst accuracy reported with satellites."),
      Field("courseFrom", \.courseFrom, speed, "Speed from which a course is reported."),
      Field(
        "speedMax", \.speedMax, .number(0...3_276),
        "Maximum reported speed in metres per second, limited by 16 bits."),
    ]
  }

  private static var settling: ObjectShape<SensorProfile.Settling> {
    ObjectShape(fields: [
      Field("error", \.meters, meters, "Additional σ per axis of the first fix."),
      Field("time", \.seconds, seconds, "Time in which the additional error decreases to a third."),
    ])
  }

  private static var reduced: ObjectShape<SensorProfile.Reduced> {
    let places: Shape<Double> =
      Shape<Distance>.distance(100, 100_000).mapped(\.meters, Distance.init(meters:))
    return ObjectShape(fields: [
      Field("placeSpacing", \.placeSpacingMeters, places, "Distance between places of interest."),
      Field(
        "interval", \.intervalSeconds, seconds,
        "Time between two positions with Precise Location off."),
      Field(
        "accuracy", \.accuracyMeters, reportedMeters,
        "Reported accuracy of positions with Precise Location off."),
    ])
  }
}

extension Kind<Named<SensorProfile>> {
  static var sensors: Kind {
    Kind(
      files: .sensors, object: ProfileSchema.sensors, standard: .builtIn, builtIn: [.builtIn],
      name: \.name, list: \.sensorProfiles)
  }
}

extension Shape<Named<SensorProfile>> {
  /// `sensors`, a profile's name or `{ base: NAME, … }`; the one profile is shown in full.
  static var sensors: Shape {
    let kind = Kind.sensors
    let reference = kind.reference { _, _ in "" }
    return Shape(
      allowed: reference.allowed, keys: reference.keys, form: reference.form,
      read: { node, reading in
        var node = node
        if case .map(let entries) = node.content, node.value(of: "base") == nil {
          let base = YAMLNode(origin: node.origin, content: .scalar(kind.standard.name))
          node.content = .map(
            entries + [YAMLNode.Entry(key: "base", keyOrigin: node.origin, value: base)])
        }
        return reference.read(node, &reading).map { reading.sensorProfiles[$0] }
      },
      show: { value, scenario in kind.object.show(value, scenario) },
      parameters: { value, scenario in kind.object.parameters(value, scenario) })
  }
}
