internal import Core

// The keys of an OS profile that say how its location services behave, and where each figure comes
// from. "Rule book" is `location-policy.md`; its ids stand in the keys' own sentences.

extension ProfileSchema {
  static var services: [Field<Named<OSFile>>] {
    [
      Field(
        "regions", \.value.rules.regions, regions,
        "Region monitoring (RG1, RG2, RG3, RG4, RG5, RG6, RG7, RG9)."),
      Field("visits", \.value.rules.visits, visits, "Visit monitoring (VI1)."),
      Field(
        "firstFix", \.value.rules.firstFix, firstFix,
        "The standard service's way to its first fix (SF2, NO3, NO4)."),
      Field("motion", \.value.rules.motion, motion, "The motion coprocessor (AC5)."),
      Field(
        "backgroundSession", \.value.rules.backgroundSession, SessionSchema.session,
        "Background URLSessions (NW1, NW2, NW3)."),
    ]
  }

  // MARK: Regions

  private static var regions: ObjectShape<RegionProfile> {
    ObjectShape(fields: circle + prompt + late)
  }

  private static var circle: [Field<RegionProfile>] {
    [
      Field(
        "radiusMin", \.radiusMin, .distance(0, 10_000), "Smaller radii behave as this one (RG1)."),
      Field(
        "cushion", \.cushion, .distance(0, 10_000),
        "Beyond the radius, before an exit counts (RG3)."),
      Field(
        "dwell", \.dwell, .time(.zero, .hours(1)),
        "How long the phone must have been beyond the border (RG3, RG5)."),
    ]
  }

  private static var prompt: [Field<RegionProfile>] {
    [
      Field(
        "promptShare", \.promptShare, .share,
        "Crossings that are told at once, to an app that runs or is suspended (RG6)."),
      Field(
        "promptShareTerminated", \.promptShareTerminated, .share,
        "The same for an app whose process has ended (RG7)."),
      Field(
        "promptMedian", \.promptMedian, .time(.zero, .hours(1)),
        "Median of the log-normal time that a prompt crossing takes, where Wi-Fi is heard (RG6)."),
      Field(
        "promptMedianWithoutWifi", \.promptMedianWithoutWifi, .time(.zero, .hours(1)),
        "The same where no Wi-Fi is heard."),
      Field("promptSigma", \.promptSigma, .number(0...5), "Its σ, of the logarithm."),
    ]
  }

  private static var late: [Field<RegionProfile>] {
    [
      Field(
        "lateLook", \.lateLook, .time(.seconds(1), .hours(24)),
        "Mean of the exponential time until the system looks again without a reason (RG6)."),
      Field(
        "lateMax", \.lateMax, .time(.seconds(1), .hours(24)), "It never takes longer than this."),
      Field("missed", \.missed, .share, "Crossings that are never told, although they last."),
      Field(
        "afterBoot", \.afterBoot, .time(.zero, .hours(1)),
        "After a start of the phone no region is looked at for so long (RG6)."),
      Field("most", \.most, .count(1...PlaceRule.most), "Regions of an app, of all kinds (RG9)."),
    ]
  }

  // MARK: Visits

  private static var visits: ObjectShape<VisitProfile> {
    ObjectShape(fields: [
      Field(
        "arrivalTold", \.arrivalTold,
        band(.zero, .hours(2)),
        "After an arrival, at stays that last as long (VI1)."),
      Field("departureTold", \.departureTold, band(.zero, .hours(2)), "After a departure."),
      Field(
        "departureDistance", \.departureDistance, .distance(0, 10_000),
        "A departure is told no nearer to the place than this."),
      Field(
        "withoutSignificantChange", \.withoutSignificantChange, .share,
        "Visits that are noticed while significant changes are off (SL7)."),
    ])
  }

  // MARK: First fix

  private static var firstFix: ObjectShape<FirstFixProfile> {
    ObjectShape(
      fields: ages + assisted + alone + indoors,
      check: { fix, origin, reading in
        if fix.hotWithin > fix.warmWithin {
          reading.diagnose(origin, "'hotWithin' exceeds 'warmWithin'.")
        }
      })
  }

  private static var ages: [Field<FirstFixProfile>] {
    [
      Field(
        "hotWithin", \.hotWithin, .time(.zero, .hours(24 * 30)),
        "A start is hot when a position is known for less than this (SF2)."),
      Field(
        "warmWithin", \.warmWithin, .time(.zero, .hours(24 * 30)), "Warm within this, else cold."),
      Field(
        "oldPoint", \.oldPoint, .share, "Starts that begin with where the phone was last (NO3)."),
      Field(
        "oldPointAge", \.oldPointAge, .time(.zero, .hours(1)),
        "A position is old from this age on."),
    ]
  }

  private static var assisted: [Field<FirstFixProfile>] {
    [
      Field("hot", \.hot, seconds, "Time to first fix after a hot start."),
      Field("warm", \.warm, seconds, "After a warm start."),
      Field("cold", \.cold, seconds, "After a cold start."),
      Field("wifi", \.wifi, seconds, "From Wi-Fi."),
      Field("again", \.again, seconds, "Of a service that goes on, in new surroundings."),
    ]
  }

  private static var alone: [Field<FirstFixProfile>] {
    [
      Field("hotAlone", \.hotAlone, seconds, "After a hot start in airplane mode (NO4)."),
      Field("warmAlone", \.warmAlone, seconds, "After a warm start in airplane mode."),
      Field("coldAlone", \.coldAlone, seconds, "After a cold start in airplane mode."),
    ]
  }

  private static var indoors: [Field<FirstFixProfile>] {
    [
      Field(
        "indoorFactor", \.indoorFactor, .number(0.1...100),
        "Satellites take so many times as long indoors."),
      Field("indoorBlind", \.indoorBlind, .share, "Starts indoors that hear no satellite."),
      Field(
        "indoorFailure", \.indoorFailure, .share,
        "Attempts indoors that find no position at all (NO6)."),
      Field(
        "indoorRetry", \.indoorRetry, .time(.milliseconds(100), .hours(1)),
        "After such an attempt the phone tries again (NO6)."),
    ]
  }

  // MARK: Motion

  private static var motion: ObjectShape<MotionProfile> {
    ObjectShape(fields: [
      Field("lag", \.lag, seconds, "From the begin of an activity until it is told (AC5)."),
      Field("confusion", \.confusion, .share, "Activities that are taken for another."),
    ])
  }

  // MARK: Times between two ends

  private static var seconds: ObjectShape<TimeBand> { band(.zero, .hours(1)) }

  private static func band(_ from: SimDuration, _ to: SimDuration) -> ObjectShape<TimeBand> {
    ObjectShape(
      fields: [
        Field("min", \.min, .time(from, to), "The least."),
        Field("max", \.max, .time(from, to), "The most."),
      ],
      check: { band, origin, reading in
        if band.min > band.max { reading.diagnose(origin, "'min' exceeds 'max'.") }
      })
  }
}

/// The keys of an OS profile for a background URLSession, with the source of each figure.
enum SessionSchema {
  static var session: ObjectShape<BackgroundSessionProfile> {
    ObjectShape(
      fields: limiter + start + discretion,
      check: { session, origin, reading in
        if session.firstDelay > session.delayMax {
          reading.diagnose(origin, "'firstDelay' exceeds 'delayMax'.")
        }
      })
  }

  private static var limiter: [Field<BackgroundSessionProfile>] {
    [
      Field(
        "firstDelay", \.firstDelay, .time(.zero, .hours(1)),
        "A task made in the background waits this long once the system has resumed the app for an "
          + "answer, twice as long after two, and so on (NW2)."),
      Field("delayMax", \.delayMax, .time(.seconds(1), .hours(24 * 7)), "It never waits longer."),
    ]
  }

  private static var start: [Field<BackgroundSessionProfile>] {
    [
      Field(
        "startMedian", \.startMedian, .time(.zero, .hours(1)),
        "Median of the log-normal time until the system starts a task."),
      Field("startSigma", \.startSigma, .number(0...5), "Its σ, of the logarithm."),
      Field(
        "timeout", \.timeout, .time(.minutes(1), .hours(24 * 30)),
        "The system gives a task up after this (timeoutIntervalForResource)."),
    ]
  }

  private static var discretion: [Field<BackgroundSessionProfile>] {
    [
      Field(
        "discretionaryInBackground", \.discretionaryInBackground, .flag,
        "Whether every task made in the background is discretionary (NW3)."),
      Field(
        "discretionOnCharger", \.discretionOnCharger, .time(.zero, .hours(24)),
        "Mean wait of a discretionary task on Wi-Fi and on a charger (NW3)."),
      Field(
        "discretionOnWifi", \.discretionOnWifi, .time(.zero, .hours(24 * 7)),
        "The same without a charger."),
      Field(
        "discretionOnCellular", \.discretionOnCellular, .time(.zero, .hours(24 * 30)),
        "The same without Wi-Fi."),
    ]
  }
}
