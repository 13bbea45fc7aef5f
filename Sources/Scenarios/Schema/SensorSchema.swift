internal import Core

/// The keys of a sensor profile with their sources. "Recorded phones" are the traces and rides that
/// `flotilla-lab calibrate` compares with simulated ones; what was set by them is fitted.
extension ProfileSchema {
  nonisolated(unsafe) static let sensors = ObjectShape<Named<SensorProfile>>(
    fields: identity() + [
      Field("satellites", \.value.satellites, satellites, "From satellites, by surroundings."),
      Field("wifi", \.value.wifi, wifi, "From Wi-Fi, by surroundings."),
      Field("cell", \.value.cell, meters, "From cells, in towns: σ per axis."),
      Field("cellOpen", \.value.cellOpen, meters, "From cells, in open country: σ per axis."),
      Field(
        "networks", \.value.networks, networks,
        "Where a phone hears Wi-Fi networks of known places (SL10)."),
      Field("moving", \.value.moving, moving, "How errors go on along a way."),
      Field("rest", \.value.rest, rest, "What a phone tells that lies still (NO1)."),
      Field("leaps", \.value.leaps, leaps, "Positions of another tower or access point."),
      Field("reported", \.value.reported, reported, "What a phone says of its own accuracy."),
      Field("settling", \.value.settling, settling, "The first fixes after a start."),
      Field("reduced", \.value.reduced, reduced, "With precise location off (iOS 14)."),
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
  /// Standard deviation of a logarithm.
  private static var sigma: Shape<Double> { .number(0...3) }

  // MARK: By source

  private static var satellites: ObjectShape<SensorProfile.Spread> {
    ObjectShape(fields: [
      Field("open", \.open, meters, "σ per axis under the open sky."),
      Field("street", \.street, meters, "Between houses."),
      Field("indoor", \.indoor, meters, "In buildings."),
      Field("tunnel", \.tunnel, meters, "Where no satellite is heard: never used alone."),
    ])
  }

  private static var networks: ObjectShape<SensorProfile.Networks> {
    ObjectShape(fields: [
      Field("open", \.open, .share, "In open country, of the time."),
      Field("street", \.street, .share, "Between houses, of the time."),
      Field("indoor", \.indoor, .share, "In buildings, of the stays."),
      Field("tunnel", \.tunnel, .share, "Below ground, of the time."),
      Field("slot", \.slotSeconds, seconds, "For so long a phone on its way hears the same."),
    ])
  }

  private static var wifi: ObjectShape<SensorProfile.Spread> {
    ObjectShape(fields: [
      Field("open", \.open, meters, "σ per axis under the open sky."),
      Field("street", \.street, meters, "Between houses."),
      Field("indoor", \.indoor, meters, "In buildings."),
      Field("tunnel", \.tunnel, meters, "Below ground."),
    ])
  }

  // MARK: In motion and at rest

  private static var moving: ObjectShape<SensorProfile.Moving> {
    ObjectShape(fields: [
      Field(
        "streetCorrelation", \.streetCorrelationSeconds, seconds,
        "Between houses errors change within this."),
      Field("openCorrelation", \.openCorrelationSeconds, seconds, "The same in the open."),
      Field(
        "unevenness", \.unevenness, sigma,
        "Good minutes and bad ones: σ of the spread's logarithm."),
      Field("phoneUnevenness", \.phoneUnevenness, sigma, "The same between phones."),
      Field("acrossTrackBias", \.acrossTrackBias, meters, "A make errs to one side of its track."),
      Field(
        "tunnelHold", \.tunnelHoldSeconds, seconds,
        "Below ground a network position stays where it was for this long."),
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
      Field("correlation", \.correlationSeconds, seconds, "Positions creep within this."),
      Field("creep", \.creep, meters, "Of the creep, in the median stay and minute."),
      Field(
        "placeUnevenness", \.placeUnevenness, sigma,
        "σ of the logarithm of a network position's spread between stays."),
      Field("stayUnevenness", \.stayUnevenness, sigma, "σ of its logarithm between stays."),
      Field("minuteUnevenness", \.minuteUnevenness, sigma, "The same between minutes."),
      Field("jitter", \.jitter, meters, "Each new position's own, on top of the creep."),
    ]
  }

  private static var holds: [Field<SensorProfile.Rest>] {
    [
      Field(
        "stillnessMin", \.stillnessMin, .share,
        "The share of a stay in which positions are held: the least stay's."),
      Field("stillnessMax", \.stillnessMax, .share, "The most still stay's."),
      Field(
        "longestHold", \.longestHoldSeconds, holdSeconds, "How long a position is held at most."),
      Field(
        "holdHalvings", \.holdHalvings, .count(0...16),
        "Holds last that, a half of it, a quarter, … after so many halvings, equally likely."),
    ]
  }

  private static var holdSeconds: Shape<Double> {
    Shape<SimDuration>.time(.seconds(1), .hours(24))
      .mapped(\.seconds, SimDuration.init(seconds:))
  }

  private static var leaps: ObjectShape<SensorProfile.Leaps> {
    ObjectShape(
      fields: [
        Field("perHour", \.perHourAtRest, .number(0...6), "Leaps of a phone at rest, an hour."),
        Field("min", \.metersMin, leapMeters, "The least leap."),
        Field("max", \.metersMax, leapMeters, "The longest leap."),
        Field("lastsMin", \.secondsMin, seconds, "How long the phone is away, at least."),
        Field("lastsMax", \.secondsMax, seconds, "At most."),
        Field(
          "admitted", \.admittedMeters, meters,
          "From so far away on the phone says that it has a cell's position."),
        Field("slot", \.slotSeconds, seconds, "At most one leap in each stretch of this length."),
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
          reading.diagnose(origin, "'wifiFine', 'wifi' and 'wifiCoarse' do not rise.")
        }
        if reported.cellFineMeters > reported.cellMeters
          || reported.cellMeters > reported.cellCoarseMeters
        {
          reading.diagnose(origin, "'cellFine', 'cell' and 'cellCoarse' do not rise.")
        }
      })
  }

  /// Reports are sixteen bits of metres.
  private static var reportedMeters: Shape<Double> {
    Shape<Distance>.distance(0, 65_535).mapped(\.meters, Distance.init(meters:))
  }

  private static var accuracies: [Field<SensorProfile.Reported>] {
    [
      Field(
        "caution", \.caution, .number(0.01...100),
        "Times the radius that holds 68 % of the errors."),
      Field(
        "unevenness", \.unevenness, .number(0...3),
        "The report's logarithm is off by up to so much, evenly."),
      Field("mood", \.moodSeconds, seconds, "For how long it is off by the same."),
    ]
  }

  private static var steps: [Field<SensorProfile.Reported>] {
    [
      Field("wifiFine", \.wifiFineMeters, reportedMeters, "Told of a good position from Wi-Fi."),
      Field("wifi", \.wifiMeters, reportedMeters, "Told of a usual position from Wi-Fi."),
      Field(
        "wifiCoarse", \.wifiCoarseMeters, reportedMeters, "Told of a poor position from Wi-Fi."),
      Field("cellFine", \.cellFineMeters, reportedMeters, "Told of a good position from cells."),
      Field("cell", \.cellMeters, reportedMeters, "Told of a usual position from cells."),
      Field(
        "cellCoarse", \.cellCoarseMeters, reportedMeters, "Told of a poor position from cells."),
    ]
  }

  private static var limits: [Field<SensorProfile.Reported>] {
    [
      Field(
        "satellitesMin", \.satelliteMetersMin, reportedMeters,
        "With satellites phones claim no better."),
      Field(
        "satellitesMax", \.satelliteMetersMax, reportedMeters, "What is worse is told as Wi-Fi's."),
      Field("courseFrom", \.courseFrom, speed, "From this speed on a course is told."),
      Field(
        "speedMax", \.speedMax, .number(0...3_276),
        "No higher speed is told, metres a second: it is held in sixteen bits."),
    ]
  }

  private static var settling: ObjectShape<SensorProfile.Settling> {
    ObjectShape(fields: [
      Field("error", \.meters, meters, "σ per axis that the first fix adds."),
      Field("time", \.seconds, seconds, "It goes down to a third within this."),
    ])
  }

  private static var reduced: ObjectShape<SensorProfile.Reduced> {
    let places: Shape<Double> =
      Shape<Distance>.distance(100, 100_000).mapped(\.meters, Distance.init(meters:))
    return ObjectShape(fields: [
      Field("placeSpacing", \.placeSpacingMeters, places, "Between places of interest."),
      Field("interval", \.intervalSeconds, seconds, "Between two positions."),
      Field("accuracy", \.accuracyMeters, reportedMeters, "What is told of them."),
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
  /// `sensors`: the name of a profile, or `{ base: NAME, … }`; written out, since there is one.
  static var sensors: Shape {
    let kind = Kind.sensors
    let reference = kind.reference { _, _ in "" }
    return Shape(
      allowed: reference.allowed, keys: reference.keys, form: reference.form,
      read: { node, reading in
        reference.read(node, &reading).map { reading.sensorProfiles[$0] }
      },
      show: { value, scenario in kind.object.show(value, scenario) },
      parameters: { value, scenario in kind.object.parameters(value, scenario) })
  }
}
