internal import SimulationCore

/// The keys of a sensor profile, and where each figure comes from. "Recorded phones" are the traces
/// and rides that `flotilla-lab calibrate` sets beside simulated ones: what was set by them is
/// fitted.
extension ProfileSchema {
  /// Made once, as `ScenarioSchema.scenario` is.
  nonisolated(unsafe) static let sensors = ObjectShape<Named<SensorProfile>>(
    fields: identity() + [
      Field("satellites", \.value.satellites, satellites, "From satellites, by surroundings."),
      Field("wifi", \.value.wifi, wifi, "From Wi-Fi, by surroundings."),
      Field(
        "cell", \.value.cell, meters, "From cells, in towns: σ per axis.",
        .derived(80, 700, inTowns)),
      Field(
        "cellOpen", \.value.cellOpen, meters, "From cells, in open country: σ per axis.",
        .fitted(300, 2_500, inCountry)),
      Field(
        "networks", \.value.networks, networks,
        "Where a phone hears Wi-Fi networks of known places (SL10)."),
      Field("moving", \.value.moving, moving, "How errors go on along a way."),
      Field("rest", \.value.rest, rest, "What a phone tells that lies still (NO1)."),
      Field("leaps", \.value.leaps, leaps, "Positions of another tower or access point."),
      Field("reported", \.value.reported, reported, "What a phone says of its own accuracy."),
      Field("settling", \.value.settling, settling, "The first fixes after a start."),
      Field("reduced", \.value.reduced, reduced, "With precise location off (iOS 14)."),
    ])

  private static let recorded = "recorded phones"
  private static let inTowns =
    "medians of 94 m downtown and 196 m in suburbs (Chen 2006), 361 m in Berlin (2026, "
    + "flutter_background_geolocation issue 1712) and 600 m (Zandbergen 2009); "
    + "their geometric mean is 251 m, and σ 0.85 medians"
  private static let inCountry =
    "1,560 m in a desert (Home Assistant issue 2729, 2024); 394 m on average on rural roads with "
    + "signal maps (Abdel Meniem 2012)"

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
      Field(
        "open", \.open, meters, "σ per axis under the open sky.",
        .fitted(1.5, 5, "\(recorded): 2 to 3.4 m; the rule book proposes 4 m")),
      Field(
        "street", \.street, meters, "Between houses.",
        .fitted(2, 12, "\(recorded): 2 to 3.4 m; the rule book proposes 12 m")),
      Field(
        "indoor", \.indoor, meters, "In buildings.",
        .assumed(6, 30, "rule book 4, sensor error: urban to canyon")),
      Field(
        "tunnel", \.tunnel, meters, "Where no satellite is heard: never used alone.",
        .assumed(30, 200, "no source")),
    ])
  }

  private static var networks: ObjectShape<SensorProfile.Networks> {
    let daily = "Place Lab 2005: 802.11 and GSM together cover nearly 100 % of people's days"
    let away = "von Watzdorf 2010: 500 m from the next houses accuracy falls to that of cells"
    return ObjectShape(fields: [
      Field(
        "open", \.open, .share, "In open country, of the time.", .assumed(0, 0.6, away)),
      Field(
        "street", \.street, .share, "Between houses, of the time.", .assumed(0.7, 1, daily)),
      Field(
        "indoor", \.indoor, .share, "In buildings, of the stays.", .assumed(0.85, 1, daily)),
      Field(
        "tunnel", \.tunnel, .share, "Below ground, of the time.",
        .assumed(0, 0.5, "no source; networks in stations are not heard between them")),
      Field(
        "slot", \.slotSeconds, seconds, "For so long a phone on its way hears the same.",
        .assumed(10, 300, "no source; at 10 m/s the reach of some access points")),
    ])
  }

  private static var wifi: ObjectShape<SensorProfile.Spread> {
    let source =
      "Zandbergen 2009 and 2012: 74 m, 43 to 92 m in the median; recorded phones of 2016: 35 m"
    return ObjectShape(fields: [
      Field("open", \.open, meters, "σ per axis under the open sky.", .fitted(20, 65, source)),
      Field("street", \.street, meters, "Between houses.", .fitted(15, 65, source)),
      Field(
        "indoor", \.indoor, meters, "In buildings.",
        .assumed(8, 65, "as between houses; Place Lab 2005: 20 to 30 m in the median")),
      Field("tunnel", \.tunnel, meters, "Below ground.", .assumed(40, 300, "no source")),
    ])
  }

  // MARK: In motion and at rest

  private static var moving: ObjectShape<SensorProfile.Moving> {
    ObjectShape(fields: [
      Field(
        "streetCorrelation", \.streetCorrelationSeconds, seconds,
        "Between houses errors change within this.", .fitted(10, 30, "\(recorded): 10 to 30 s")),
      Field(
        "openCorrelation", \.openCorrelationSeconds, seconds, "The same in the open.",
        .fitted(30, 75, "\(recorded): 30 to 75 s")),
      Field(
        "unevenness", \.unevenness, sigma,
        "Good minutes and bad ones: σ of the spread's logarithm.",
        .fitted(0.2, 0.9, "\(recorded): the reported accuracy's 95th percentile is 2.5 medians")),
      Field(
        "phoneUnevenness", \.phoneUnevenness, sigma, "The same between phones.",
        .fitted(0, 0.4, "\(recorded): up to 5 m where others have 3")),
      Field(
        "acrossTrackBias", \.acrossTrackBias, meters, "A make errs to one side of its track.",
        .fitted(0, 4.5, "\(recorded): +2.7 and +4.2 m, -0.1 and -2.4 m")),
      Field(
        "tunnelHold", \.tunnelHoldSeconds, seconds,
        "Below ground a network position stays where it was for this long.",
        .assumed(60, 300, "the time between two stations; recorded rides by metro fit it")),
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
        "correlation", \.correlationSeconds, seconds, "Positions creep within this.",
        .fitted(20, 60, "\(recorded): 51 s in dwells of an hour, 20 s in short ones")),
      Field(
        "creep", \.creep, meters, "Of the creep, in the median stay and minute.",
        .fitted(0.5, 2.5, "\(recorded), 62 dwells: 68 % within 2.1 m in the median")),
      Field(
        "placeUnevenness", \.placeUnevenness, sigma,
        "σ of the logarithm of a network position's spread between stays.",
        .fitted(
          0.2, 0.8,
          "visits report 37, 56, 76 and 108 m (react-native-background-geolocation issue 2024)")),
      Field(
        "stayUnevenness", \.stayUnevenness, sigma, "σ of its logarithm between stays.",
        .fitted(0.7, 1.5, "\(recorded), 62 dwells: quartiles 0.8 and 4.3 m")),
      Field(
        "minuteUnevenness", \.minuteUnevenness, sigma, "The same between minutes.",
        .fitted(0.5, 1.5, "\(recorded), 62 dwells: 95 % within 7.6 m")),
      Field(
        "jitter", \.jitter, meters, "Each new position's own, on top of the creep.",
        .fitted(0.02, 0.4, "\(recorded): a step of 0.29 m, 95th percentile 2.5 m")),
    ]
  }

  private static var holds: [Field<SensorProfile.Rest>] {
    [
      Field(
        "stillnessMin", \.stillnessMin, .share,
        "The share of a stay in which positions are held: the least stay's.",
        .fitted(0, 0.5, "\(recorded): 57 % repeat the one before")),
      Field(
        "stillnessMax", \.stillnessMax, .share, "The most still stay's.",
        .fitted(0.7, 1, "\(recorded): 57 % repeat the one before")),
      Field(
        "longestHold", \.longestHoldSeconds, holdSeconds, "How long a position is held at most.",
        .assumed(32, 128, "no source; holds of seconds to a minute are seen in recorded phones")),
      Field(
        "holdHalvings", \.holdHalvings, .count(0...16),
        "Holds last that, a half of it, a quarter, … after so many halvings, equally likely.",
        .assumed(2, 5, "no source; holds of seconds to a minute are seen in recorded phones")),
    ]
  }

  private static var holdSeconds: Shape<Double> {
    Shape<SimDuration>.time(.seconds(1), .hours(24))
      .mapped(\.seconds, SimDuration.init(seconds:))
  }

  private static var leaps: ObjectShape<SensorProfile.Leaps> {
    let dwells =
      "\(recorded), dwells of an hour: farthest fix 61 m in one of four, 1,761 m in one of 20"
    return ObjectShape(
      fields: [
        Field(
          "perHour", \.perHourAtRest, .number(0...6), "Leaps of a phone at rest, an hour.",
          .fitted(0.1, 0.6, dwells)),
        Field("min", \.metersMin, leapMeters, "The least leap.", .fitted(10, 60, dwells)),
        Field("max", \.metersMax, leapMeters, "The longest leap.", .fitted(2_000, 20_000, dwells)),
        Field(
          "lastsMin", \.secondsMin, seconds, "How long the phone is away, at least.",
          .assumed(5, 60, "no source")),
        Field(
          "lastsMax", \.secondsMax, seconds, "At most.", .assumed(60, 300, "no source")),
        Field(
          "admitted", \.admittedMeters, meters,
          "From so far away on the phone says that it has a cell's position.",
          .assumed(65, 1_000, "no source")),
        Field(
          "slot", \.slotSeconds, seconds, "At most one leap in each stretch of this length.",
          .assumed(600, 1_200, "of the model; keeps leaps apart")),
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
        "Times the radius that holds 68 % of the errors.",
        .fitted(0.8, 1.3, "\(recorded): share of true errors within what is reported")),
      Field(
        "unevenness", \.unevenness, .number(0...3),
        "The report's logarithm is off by up to so much, evenly.",
        .fitted(0.3, 1.1, "\(recorded): spread of the reported accuracy")),
      Field(
        "mood", \.moodSeconds, seconds, "For how long it is off by the same.",
        .assumed(10, 120, "no source")),
    ]
  }

  private static var steps: [Field<SensorProfile.Reported>] {
    let clusters = "von Watzdorf 2010, 2,289 positions: below 300 m, at 500 m, above 1 km"
    let seen = "macrumors.com thread 1800513 (2014): 3,000 m, then 65 or 30 m, then 10 m"
    return [
      Field(
        "wifiFine", \.wifiFineMeters, reportedMeters, "Told of a good position from Wi-Fi.",
        .excerpt(10, 50, seen)),
      Field(
        "wifi", \.wifiMeters, reportedMeters, "Told of a usual position from Wi-Fi.",
        .read(30, 100, "LocoKit's LocomotionManager.swift: 65 m")),
      Field(
        "wifiCoarse", \.wifiCoarseMeters, reportedMeters, "Told of a poor position from Wi-Fi.",
        .excerpt(80, 300, "AMap sample, an iPhone's log of 2017: 165 m; 108 m of a visit (2024)")),
      Field(
        "cellFine", \.cellFineMeters, reportedMeters, "Told of a good position from cells.",
        .excerpt(300, 1_000, clusters)),
      Field(
        "cell", \.cellMeters, reportedMeters, "Told of a usual position from cells.",
        .excerpt(
          500, 3_000,
          "Stack Overflow 7402503; flutter_background_geolocation issues 510, 1712: 1,414 m")),
      Field(
        "cellCoarse", \.cellCoarseMeters, reportedMeters, "Told of a poor position from cells.",
        .excerpt(1_414, 10_000, seen)),
    ]
  }

  private static var limits: [Field<SensorProfile.Reported>] {
    [
      Field(
        "satellitesMin", \.satelliteMetersMin, reportedMeters,
        "With satellites phones claim no better.",
        .assumed(2, 5, "the least that recorded phones tell; Stack Overflow 7402503 has 5 m")),
      Field(
        "satellitesMax", \.satelliteMetersMax, reportedMeters,
        "What is worse is told as Wi-Fi's.",
        .excerpt(30, 100, "LocoKit and Stack Overflow 7402503: 65 m is Wi-Fi's")),
      Field(
        "courseFrom", \.courseFrom, speed, "From this speed on a course is told.",
        .assumed(0.1, 1, "no source; a phone at rest has no course")),
      Field(
        "speedMax", \.speedMax, .number(0...3_276),
        "No higher speed is told, metres a second: it is held in sixteen bits.",
        .assumed(100, 300, "of the model; nobody travels faster on the ground")),
    ]
  }

  private static var settling: ObjectShape<SensorProfile.Settling> {
    let source = "rule book 2.1 (Freeletics): the first 10 to 20 fixes are worse; the size A"
    return ObjectShape(fields: [
      Field(
        "error", \.meters, meters, "σ per axis that the first fix adds.", .assumed(2, 20, source)),
      Field(
        "time", \.seconds, seconds, "It goes down to a third within this.",
        .assumed(2, 10, source)),
    ])
  }

  private static var reduced: ObjectShape<SensorProfile.Reduced> {
    let places: Shape<Double> =
      Shape<Distance>.distance(100, 100_000).mapped(\.meters, Distance.init(meters:))
    return ObjectShape(fields: [
      Field(
        "placeSpacing", \.placeSpacingMeters, places, "Between places of interest.",
        .read(1_000, 20_000, "Apple, accuracyAuthorization: within 1 to 20 km; the size A")),
      Field(
        "interval", \.intervalSeconds, seconds, "Between two positions.",
        .read(900, 3_600, "Apple, accuracyAuthorization: a few times an hour")),
      Field(
        "accuracy", \.accuracyMeters, reportedMeters, "What is told of them.",
        .excerpt(1_000, 5_000, "e-mission issue 572: always 2,500 m")),
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

extension Named<SensorProfile> {
  static var builtIn: Self { Named(name: "standard", value: .standard) }
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
