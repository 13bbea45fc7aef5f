internal import SimulationCore

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
        "radiusMin", \.radiusMin, .distance(0, 10_000), "Smaller radii behave as this one (RG1).",
        .read(
          .meters(100), .meters(200), "Badoo 2017 (RG1); WWDC lab notes, kevfoo.com 2012")),
      Field(
        "cushion", \.cushion, .distance(0, 10_000),
        "Beyond the radius, before an exit counts (RG3).",
        .assumed(
          .meters(50), .meters(200),
          "rule book 2.1, region model; Apple and transistorsoft: about 200 m of movement whatever "
            + "the radius")),
      Field(
        "dwell", \.dwell, .time(.zero, .hours(1)),
        "How long the phone must have been beyond the border (RG3, RG5).",
        .read(.seconds(10), .minutes(1), "Apple, Location Awareness guide: at least 20 seconds")),
    ]
  }

  private static var prompt: [Field<RegionProfile>] {
    [
      Field(
        "promptShare", \.promptShare, .share,
        "Crossings that are told at once, to an app that runs or is suspended (RG6).",
        .fitted(
          0.8, 0.98, "Radius Networks 2015: both apps within 30 s in 92 of 100 arrivals, one in 3")
      ),
      Field(
        "promptShareTerminated", \.promptShareTerminated, .share,
        "The same for an app whose process has ended (RG7).",
        .derived(
          0.2, 0.95,
          "react-native-background-geolocation issue 2580 (2026): two of two late; customerio-ios "
            + "pull request 1158 (2026): one of one prompt; flutter_background_geolocation issue "
            + "1551 (2025): not every time")),
      Field(
        "promptMedian", \.promptMedian, .time(.zero, .hours(1)),
        "Median of the log-normal time that a prompt crossing takes, where Wi-Fi is heard (RG6).",
        .derived(
          .seconds(3), .seconds(15),
          "Radius Networks 2015: 95 of 100 within 30 s, with the dwell or without it")),
      Field(
        "promptMedianWithoutWifi", \.promptMedianWithoutWifi, .time(.zero, .hours(1)),
        "The same where no Wi-Fi is heard.",
        .assumed(
          .seconds(6), .minutes(5),
          "rule book 2.1, region model: three times as long; Apple: worse with Wi-Fi off")),
      Field(
        "promptSigma", \.promptSigma, .number(0...5), "Its σ, of the logarithm.",
        .assumed(0.5, 1.5, "rule book 2.1, region model; 0.8 puts 98 % of them within 30 s")),
    ]
  }

  private static var late: [Field<RegionProfile>] {
    [
      Field(
        "lateLook", \.lateLook, .time(.seconds(1), .hours(24)),
        "Mean of the exponential time until the system looks again without a reason (RG6).",
        .derived(
          .minutes(5), .hours(1),
          "Home Assistant iOS issue 1016 (2020): 20 min after the arrival; "
            + "react-native-background-geolocation issue 2580 (2026): 45 and 75 min")),
      Field(
        "lateMax", \.lateMax, .time(.seconds(1), .hours(24)), "It never takes longer than this.",
        .derived(
          .hours(1), .hours(6),
          "react-native-background-geolocation issue 2580 (2026): 75 min after leaving, 173 after "
            + "the end of the app, is the longest reported")),
      Field(
        "missed", \.missed, .share, "Crossings that are never told, although they last.",
        .assumed(
          0, 0.05,
          "Home Assistant iOS issue 1825 (2021): 40 % of arrivals missed by app and system together"
        )
      ),
      Field(
        "afterBoot", \.afterBoot, .time(.zero, .hours(1)),
        "After a start of the phone no region is looked at for so long (RG6).",
        .excerpt(
          .minutes(3), .minutes(10),
          "twocanoes 2012: about 3 min; kontakt-ios-sdk issue 65 (2018): about 10, of beacons")),
      Field(
        "most", \.most, .count(1...PlaceRule.most), "Regions of an app, of all kinds (RG9).",
        .read(20, 20, "Apple, startMonitoring(for:): at most 20 regions an app")),
    ]
  }

  // MARK: Visits

  private static var visits: ObjectShape<VisitProfile> {
    ObjectShape(fields: [
      Field(
        "arrivalTold", \.arrivalTold,
        band(
          .zero, .hours(2),
          .assumed(.minutes(1), .minutes(6), "rule book 2.1, visit delay proposal"),
          .assumed(.minutes(8), .minutes(30), "rule book 2.1, visit delay proposal")),
        "After an arrival, at stays that last as long (VI1)."),
      Field(
        "departureTold", \.departureTold,
        band(
          .zero, .hours(2),
          .assumed(.minutes(1), .minutes(5), "rule book 2.1, visit delay proposal"),
          .assumed(.minutes(6), .minutes(20), "rule book 2.1, visit delay proposal")),
        "After a departure."),
      Field(
        "departureDistance", \.departureDistance, .distance(0, 10_000),
        "A departure is told no nearer to the place than this.",
        .assumed(.meters(150), .meters(800), "Radar's header: several hundred meters; the size A")),
      Field(
        "withoutSignificantChange", \.withoutSignificantChange, .share,
        "Visits that are noticed while significant changes are off (SL7).",
        .assumed(0.3, 0.9, "Badoo 2017 (SL7) says fewer, and no factor; rule book 7, C11")),
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
        "A start is hot when a position is known for less than this (SF2).",
        .assumed(.minutes(5), .hours(2), "rule book 1, SF2")),
      Field(
        "warmWithin", \.warmWithin, .time(.zero, .hours(24 * 30)), "Warm within this, else cold.",
        .recalled(.hours(2), .hours(6), "ephemerides of satellites are good for about 4 h")),
      Field(
        "oldPoint", \.oldPoint, .share, "Starts that begin with where the phone was last (NO3).",
        .assumed(0.1, 0.6, "the bicycle tracker of 2017 (NO3) says that, not how often")),
      Field(
        "oldPointAge", \.oldPointAge, .time(.zero, .hours(1)),
        "A position is old from this age on.",
        .read(.seconds(5), .minutes(1), "Apple's sample code takes fixes of the last 15 s")),
    ]
  }

  private static var assisted: [Field<FirstFixProfile>] {
    [
      Field(
        "hot", \.hot,
        seconds(
          .read(.milliseconds(500), .milliseconds(1_500), "article of 2014 (SF2): a second or two"),
          .read(.seconds(2), .seconds(5), "article of 2014 (SF2): a second or two")),
        "Time to first fix after a hot start."),
      Field(
        "warm", \.warm,
        seconds(
          .recalled(.seconds(2), .seconds(5), "rule book 2.1, assisted satellites"),
          .recalled(.seconds(5), .seconds(15), "rule book 2.1, assisted satellites")),
        "After a warm start."),
      Field(
        "cold", \.cold,
        seconds(
          .recalled(.seconds(5), .seconds(15), "rule book 2.1, assisted satellites"),
          .recalled(.seconds(20), .minutes(1), "rule book 2.1, assisted satellites")),
        "After a cold start."),
      Field(
        "wifi", \.wifi,
        seconds(
          .assumed(.milliseconds(500), .seconds(2), "a scan and an answer of the location server"),
          .assumed(.seconds(2), .seconds(10), "a scan and an answer of the location server")),
        "From Wi-Fi."),
      Field(
        "again", \.again,
        seconds(
          .assumed(.milliseconds(500), .seconds(2), "as after a hot start, or from Wi-Fi"),
          .assumed(.seconds(2), .seconds(10), "as after a hot start, or from Wi-Fi")),
        "Of a service that goes on, in new surroundings."),
    ]
  }

  private static var alone: [Field<FirstFixProfile>] {
    [
      Field(
        "hotAlone", \.hotAlone,
        seconds(
          .assumed(.seconds(1), .seconds(15), "rule book 2.1, TTFF of receivers: hot up to 22 s"),
          .excerpt(.seconds(15), .seconds(30), "Wikipedia, time to first fix: hot up to 22 s")),
        "After a hot start in airplane mode (NO4)."),
      Field(
        "warmAlone", \.warmAlone,
        seconds(
          .assumed(.seconds(10), .seconds(30), "rule book 2.1, TTFF of receivers: warm up to 45 s"),
          .excerpt(.seconds(30), .seconds(90), "Wikipedia, time to first fix: warm up to 45 s")),
        "After a warm start in airplane mode."),
      Field(
        "coldAlone", \.coldAlone,
        seconds(
          .excerpt(.seconds(30), .minutes(3), "Wikipedia, time to first fix: cold 2 to 4 min"),
          .excerpt(.minutes(3), .minutes(12), "Wikipedia, time to first fix: cold 2 to 4 min")),
        "After a cold start in airplane mode."),
    ]
  }

  private static var indoors: [Field<FirstFixProfile>] {
    [
      Field(
        "indoorFactor", \.indoorFactor, .number(0.1...100),
        "Satellites take so many times as long indoors.",
        .assumed(1, 5, "no source; receivers indoors work at a tenth of the signal")),
      Field(
        "indoorBlind", \.indoorBlind, .share, "Starts indoors that hear no satellite.",
        .assumed(0.5, 1, "no source; deep inside a building positions come from Wi-Fi")),
      Field(
        "indoorFailure", \.indoorFailure, .share,
        "Attempts indoors that find no position at all (NO6).",
        .assumed(0, 0.1, "no source (NO2 says that positions fail near some objects)")),
      Field(
        "indoorRetry", \.indoorRetry, .time(.milliseconds(100), .hours(1)),
        "After such an attempt the phone tries again (NO6).",
        .assumed(
          .seconds(5), .minutes(1),
          "Apple, locationManager(_:didFailWithError:): the service keeps trying; the time A")),
    ]
  }

  // MARK: Motion

  private static var motion: ObjectShape<MotionProfile> {
    ObjectShape(fields: [
      Field(
        "lag", \.lag,
        seconds(
          .assumed(.seconds(1), .seconds(15), "rule book 4, motion activity"),
          .assumed(.seconds(15), .minutes(1), "rule book 4, motion activity")),
        "From the begin of an activity until it is told (AC5)."),
      Field(
        "confusion", \.confusion, .share, "Activities that are taken for another.",
        .assumed(0.01, 0.15, "rule book 4, motion activity")),
    ])
  }

  // MARK: Times between two ends

  private static func seconds(
    _ least: Evidence<SimDuration>, _ most: Evidence<SimDuration>
  ) -> ObjectShape<TimeBand> {
    band(.zero, .hours(1), least, most)
  }

  private static func band(
    _ from: SimDuration, _ to: SimDuration, _ least: Evidence<SimDuration>,
    _ most: Evidence<SimDuration>
  ) -> ObjectShape<TimeBand> {
    ObjectShape(
      fields: [
        Field("min", \.min, .time(from, to), "The least.", least),
        Field("max", \.max, .time(from, to), "The most.", most),
      ],
      check: { band, origin, reading in
        if band.min > band.max { reading.diagnose(origin, "'min' exceeds 'max'.") }
      })
  }
}

/// The keys of an OS profile that say when the system sends what an app has handed to a background
/// URLSession, and where each figure comes from.
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
          + "answer, twice as long after two, and so on (NW2).",
        .excerpt(
          .seconds(30), .minutes(2),
          "developer.apple.com/forums/thread/128813, iPhone 7, iOS 12.4, a log: 60, 120, 240 s"
        )
      ),
      Field(
        "delayMax", \.delayMax, .time(.seconds(1), .hours(24 * 7)), "It never waits longer.",
        .assumed(
          .hours(1), .hours(24),
          "forums/thread/14854: eventually it looks as if the app made no progress; no figure")),
    ]
  }

  private static var start: [Field<BackgroundSessionProfile>] {
    let source = "forums/thread/124450: 29 s in the foreground; owncloud/ios-sdk issue 46: 8 min"
    return [
      Field(
        "startMedian", \.startMedian, .time(.zero, .hours(1)),
        "Median of the log-normal time until the system starts a task.",
        .derived(.seconds(1), .minutes(8), source)),
      Field(
        "startSigma", \.startSigma, .number(0...5), "Its σ, of the logarithm.",
        .assumed(0.5, 2, source)),
      Field(
        "timeout", \.timeout, .time(.minutes(1), .hours(24 * 30)),
        "The system gives a task up after this (timeoutIntervalForResource).",
        .recalled(.hours(24), .hours(7 * 24), "Apple, timeoutIntervalForResource: seven days")),
    ]
  }

  private static var discretion: [Field<BackgroundSessionProfile>] {
    [
      Field(
        "discretionaryInBackground", \.discretionaryInBackground, .flag,
        "Whether every task made in the background is discretionary (NW3).",
        .choice(
          true, false, .read,
          "Apple, isDiscretionary: the system assumes yes and ignores any value specified")),
      Field(
        "discretionOnCharger", \.discretionOnCharger, .time(.zero, .hours(24)),
        "Mean wait of a discretionary task on Wi-Fi and on a charger (NW3).",
        .assumed(
          .minutes(5), .hours(4),
          "nextcloud/ios issues 2026 and 2225: after a while on the charger; the time A")),
      Field(
        "discretionOnWifi", \.discretionOnWifi, .time(.zero, .hours(24 * 7)),
        "The same without a charger.",
        .assumed(
          .hours(1), .hours(48),
          "Piwigo-Mobile issue 426: in the coming hours, the next night or days later")),
      Field(
        "discretionOnCellular", \.discretionOnCellular, .time(.zero, .hours(24 * 30)),
        "The same without Wi-Fi.",
        .assumed(
          .hours(6), .hours(7 * 24),
          "Apple, isDiscretionary: might delay until plugged in and on Wi-Fi; the time A")),
    ]
  }
}
