internal import Core

// The keys of an OS profile for location services. The evidence is in `ios17.yaml`, where "design
// notes" means `location-policy.md`; the sentences cite the ids of its rules.

extension ProfileSchema {
  static var services: [Field<Named<OSFile>>] {
    [
      Field(
        "regions", \.value.rules.regions, regions,
        "Region monitoring (RG1, RG2, RG3, RG4, RG5, RG6, RG7, RG9, RG11)."),
      Field("visits", \.value.rules.visits, visits, "Visit monitoring (VI1)."),
      Field(
        "firstFix", \.value.rules.firstFix, firstFix,
        "Time to first fix of the standard service, and the age of the fix that comes with a wake "
          + "(SF2, NO3, NO4, LA1, LA3)."
      ),
      Field("motion", \.value.rules.motion, motion, "Motion coprocessor (AC5)."),
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
        "radiusMin", \.radiusMin, .distance(0, 10_000),
        "Minimum radius; smaller radii are raised to it (RG1)."),
      Field(
        "cushion", \.cushion, .distance(0, 10_000),
        "Distance beyond the radius at which an exit counts (RG3)."),
      Field(
        "cushionLocating", \.cushionLocating, .distance(0, 10_000),
        "The same while a service locates with satellites (RG12)."),
      Field(
        "dwell", \.dwell, .time(.zero, .hours(1)),
        "Time beyond the border before a crossing counts (RG3, RG5)."),
    ]
  }

  private static var prompt: [Field<RegionProfile>] {
    [
      Field(
        "promptShare", \.promptShare, .share,
        "Crossings reported promptly to a running or suspended app (RG6)."),
      Field(
        "promptShareTerminated", \.promptShareTerminated, .share,
        "Crossings reported promptly to a terminated app (RG7)."),
      Field(
        "promptMedian", \.promptMedian, .time(.zero, .hours(1)),
        "Median of the log-normal delay of a prompt report, with Wi-Fi in range (RG6)."),
      Field(
        "promptMedianWithoutWifi", \.promptMedianWithoutWifi, .time(.zero, .hours(1)),
        "Median of the log-normal delay of a prompt report without Wi-Fi in range."),
      Field(
        "promptSigma", \.promptSigma, .number(0...5),
        "Standard deviation of the natural logarithm of a prompt report's delay."),
    ]
  }

  private static var late: [Field<RegionProfile>] {
    [
      Field(
        "lateLook", \.lateLook, .time(.seconds(1), .hours(24)),
        "Mean of the exponential time until the system checks without a trigger (RG6)."),
      Field(
        "lateMax", \.lateMax, .time(.seconds(1), .hours(24)),
        "Maximum time until the system checks without a trigger."),
      Field("missed", \.missed, .share, "Lasting crossings that are never reported."),
      Field(
        "missedByMonitor", \.missedByMonitor, .share,
        "Lasting changes of a CLMonitor condition that are never reported."),
      Field(
        "monitorEvaluation", \.monitorEvaluation, .time(.zero, .minutes(1)),
        "Time from adding a condition to CLMonitor's first evaluation (CM6)."),
      Field(
        "monitorCopies", \.monitorCopies, .share,
        "Events that CLMonitor reports twice (CM3)."),
      Field(
        "monitorDeaf", \.monitorDeaf, .share,
        "Background launches after which CLMonitor reports nothing for `monitorDeafFor` (CM4)."),
      Field(
        "monitorDeafFor", \.monitorDeafFor, .time(.zero, .hours(24)),
        "Mean time for which CLMonitor reports nothing after such a launch (CM4)."),
      Field(
        "leapsSeen", \.leapsSeen, .share,
        "Jumps of the position of a phone at rest that a check of regions sees, on average over "
          + "places (RG11)."),
      Field(
        "afterBoot", \.afterBoot, .time(.zero, .hours(1)),
        "Time after a boot in which no region is checked (RG6)."),
      Field(
        "most", \.most, .count(1...PlaceRule.most),
        "Maximum number of regions of all kinds per app (RG9)."),
    ]
  }

  // MARK: Visits

  private static var visits: ObjectShape<VisitProfile> {
    ObjectShape(fields: [
      Field(
        "arrivalTold", \.arrivalTold,
        band(.zero, .hours(2)),
        "Delay of an arrival report; a shorter stay is not reported (VI1)."),
      Field(
        "departureTold", \.departureTold, band(.zero, .hours(2)), "Delay of a departure report."),
      Field(
        "departureDistance", \.departureDistance, .distance(0, 10_000),
        "Minimum distance from the place for a departure report."),
      Field(
        "withoutSignificantChange", \.withoutSignificantChange, .share,
        "Visits detected while significant changes are off (SL7)."),
    ])
  }

  // MARK: First fix

  private static var firstFix: ObjectShape<FirstFixProfile> {
    ObjectShape(
      fields: ages + wakes + requests + assisted + alone + indoors,
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
        "Maximum age of the last position for a hot start (SF2)."),
      Field(
        "warmWithin", \.warmWithin, .time(.zero, .hours(24 * 30)),
        "Maximum age of the last position for a warm start; above it a start is cold."),
      Field(
        "oldPoint", \.oldPoint, .share, "Starts whose first fix is the phone's last position (NO3)."
      ),
      Field(
        "oldPointAge", \.oldPointAge, .time(.zero, .hours(1)),
        "Age from which a position is old."),
    ]
  }

  private static var wakes: [Field<FirstFixProfile>] {
    [
      Field(
        "wakeAge", \.wakeAge, .time(.zero, .hours(24)),
        "Median of the log-normal age of the position that a wake brings (LA1)."),
      Field(
        "wakeAgeSigma", \.wakeAgeSigma, .number(0...5),
        "Standard deviation of the natural logarithm of a wake position's age."),
      Field(
        "wakeAgeMax", \.wakeAgeMax, .time(.zero, .hours(24)),
        "Maximum age of the position that a wake brings."),
    ]
  }

  private static var requests: [Field<FirstFixProfile>] {
    [
      Field(
        "requestTime", \.requestTime, .time(.zero, .hours(1)),
        "Time after which a single request ends with its current position (LA3)."),
      Field(
        "requestBest", \.requestBest, .distance(0, 1_000),
        "Accuracy at which a single request for the best accuracy ends early (LA3)."),
    ]
  }

  private static var assisted: [Field<FirstFixProfile>] {
    [
      Field("hot", \.hot, timeBand, "Time to first fix after a hot start."),
      Field("warm", \.warm, timeBand, "Time to first fix after a warm start."),
      Field("cold", \.cold, timeBand, "Time to first fix after a cold start."),
      Field("wifi", \.wifi, timeBand, "Time to first fix from Wi-Fi."),
      Field(
        "again", \.again, timeBand,
        "Time to the next fix of a running service in new surroundings."),
    ]
  }

  private static var alone: [Field<FirstFixProfile>] {
    [
      Field(
        "hotAlone", \.hotAlone, timeBand,
        "Time to first fix after a hot start in airplane mode (NO4)."),
      Field(
        "warmAlone", \.warmAlone, timeBand,
        "Time to first fix after a warm start in airplane mode."),
      Field(
        "coldAlone", \.coldAlone, timeBand,
        "Time to first fix after a cold start in airplane mode."),
    ]
  }

  private static var indoors: [Field<FirstFixProfile>] {
    [
      Field(
        "indoorFactor", \.indoorFactor, .number(0.1...100),
        "Factor on the time to a satellite fix indoors."),
      Field(
        "indoorBlind", \.indoorBlind, .share,
        "Places indoors without satellite reception (NO7)."),
      Field(
        "indoorFailure", \.indoorFailure, .share,
        "Attempts indoors without any position (NO6)."),
      Field(
        "indoorRetry", \.indoorRetry, .time(.milliseconds(100), .hours(1)),
        "Time until a retry after an attempt without any position (NO6)."),
    ]
  }

  // MARK: Motion

  private static var motion: ObjectShape<MotionProfile> {
    ObjectShape(fields: [
      Field("lag", \.lag, timeBand, "Time from the start of a trip to its report (AC5)."),
      Field(
        "restLag", \.restLag, timeBand, "Time from the end of a trip to the report of rest (AC5)."),
      Field("confusion", \.confusion, .share, "Activities that are reported as another activity."),
    ])
  }

  // MARK: Times between two ends

  static var timeBand: ObjectShape<TimeBand> { band(.zero, .hours(1)) }

  private static func band(_ from: SimDuration, _ to: SimDuration) -> ObjectShape<TimeBand> {
    ObjectShape(
      fields: [
        Field("min", \.min, .time(from, to), "Minimum."),
        Field("max", \.max, .time(from, to), "Maximum."),
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
        "Delay of a task made in the background after one resume of the app; each further "
          + "resume doubles it (NW2)."),
      Field(
        "delayMax", \.delayMax, .time(.seconds(1), .hours(24 * 7)),
        "Maximum delay of a task made in the background."),
    ]
  }

  private static var start: [Field<BackgroundSessionProfile>] {
    [
      Field(
        "startMedian", \.startMedian, .time(.zero, .hours(1)),
        "Median of the log-normal time until the system starts a task."),
      Field(
        "startSigma", \.startSigma, .number(0...5),
        "Standard deviation of the natural logarithm of the time until a start."),
      Field(
        "timeout", \.timeout, .time(.minutes(1), .hours(24 * 30)),
        "Timeout of a task (timeoutIntervalForResource)."),
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
        "Mean wait of a discretionary task on Wi-Fi without a charger."),
      Field(
        "discretionOnCellular", \.discretionOnCellular, .time(.zero, .hours(24 * 30)),
        "Mean wait of a discretionary task without Wi-Fi."),
    ]
  }
}
