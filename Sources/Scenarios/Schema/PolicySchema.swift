internal import Core

extension Kind<Policy> {
  static var policy: Kind {
    Kind(
      files: .policy, object: PolicySchema.policy, standard: .standard, name: \.name,
      list: \.policies)
  }
}

enum PolicySchema {
  /// The maximum capacity of an outbox, since a phone counts fixes in sixteen bits.
  static let outboxMax = 65_535

  nonisolated(unsafe) static let policy = ObjectShape<Policy>(
    fields: [
      Field("name", \.name, .name, "Name of the policy; in a file, the file's name."),
      Field("description", \.description, .sentence, "Purpose of the policy."),
      Field(
        "version", \.settings.version, .count(1...UInt32.max),
        "Version; increases with each update from the server (HY2)."),
      Field("app", \.settings.app, app, "App properties that the operating system sees."),
      Field(
        "significantChange", \.settings.significantChange, .flag,
        "Significant-change service on (SL1)."),
      Field("visits", \.settings.visits, .flag, "Visit monitoring on (VI1)."),
      Field(
        "regionRadius", \.settings.regionRadius, .optional(.distance(100, 50_000)),
        "Radius of the region around the last fix, at least 100 m (RG1)."),
      Field(
        "places", \.settings.places, .optional(places.shape(defaults: .standard)),
        "Regions around known places, for entry and exit events (RG5)."),
      Field(
        "foreground", \.settings.foreground, ModeSchema.mode,
        "Settings while the app is in use (HY2)."),
      Field(
        "background", \.settings.background, ModeSchema.mode,
        "Settings while the app is not in use (HY2)."),
      Field("send", \.settings.send, send, "When batches are sent."),
      Field("outbox", \.settings.outbox, outbox, "Fixes that wait to be sent."),
      Field(
        "onPush", \.settings.onPush, .word(PushResponse.self), "Response to a silent push (SP2)."),
      Field(
        "refresh", \.settings.refresh, .optional(refresh.shape(defaults: .standard)),
        "Background refreshes that the app requests; without this key it requests none (BR2)."),
      Field(
        "processing", \.settings.processing, .optional(processing.shape(defaults: .standard)),
        "Background processing tasks that the app requests; without this key it requests none "
          + "(BR5)."),
      Field(
        "events", \.settings.events, events,
        "Events that the app sends beside its fixes, each at once; needs 'events' in the target."
      ).shown { $0.settings.events != EventUse() },
      Field("android", \.settings.android, android, "What the app uses on Android only."),
      Field(
        "androidPolicy", \.androidPolicy, .optional(.name),
        "Policy of Android phones where 'fleet.android' or a study of policies gives this one to "
          + "a cohort; none: this policy."
      ).shown { $0.androidPolicy != nil },
    ],
    check: { policy, origin, reading in
      let settings = policy.settings
      if settings.send.maxFixes > settings.outbox.capacity {
        reading.diagnose(
          origin,
          "'send.maxFixes' is \(settings.send.maxFixes), but the outbox holds only "
            + "\(settings.outbox.capacity) ('outbox.capacity'): no batch could be full.")
      }
      for problem in settings.eventProblems { reading.diagnose(origin, problem) }
    })

  private static var events: ObjectShape<EventUse> {
    ObjectShape(fields: [
      Field(
        "regions", \.[.regions], .flag,
        "Entering, leaving or, on Android, dwelling in a region of 'places'."),
      Field("visits", \.[.visits], .flag, "Arrival and departure of a visit (VI1)."),
      Field("motion", \.[.motion], .flag, "A change of the motion activity (AC5)."),
      Field("boot", \.[.boot], .flag, "The first launch after a start of the phone."),
      Field("permission", \.[.permission], .flag, "A change of the location permission (AU6)."),
      Field("opened", \.[.opened], .flag, "The owner opens the app."),
      Field(
        "capacity", \.capacity, .count(2...255),
        "Maximum number of waiting events; the oldest are evicted first."),
    ])
  }

  private static var refresh: ObjectShape<RefreshUse> {
    ObjectShape(fields: [
      Field(
        "every", \.every, .time(.minutes(1), .hours(24 * 7)),
        "Minimum time from the request to the refresh (earliestBeginDate)."),
      Field(
        "response", \.response, .word(PushResponse.self),
        "Response to a refresh: a burst of positions, the cached position, or nothing (BR4)."),
    ])
  }

  private static var processing: ObjectShape<ProcessingUse> {
    ObjectShape(fields: [
      Field(
        "every", \.every, .time(.minutes(1), .hours(24 * 7)),
        "Minimum time from the request to the task (earliestBeginDate)."),
      Field(
        "response", \.response, .word(PushResponse.self),
        "Response to a task: a burst of positions, the cached position, or nothing (BR5)."),
      Field(
        "needsCharger", \.needsCharger, .flag,
        "Run on the charger only (requiresExternalPower)."),
    ])
  }

  private static var alarm: ObjectShape<AlarmUse> {
    ObjectShape(fields: [
      Field(
        "every", \.every, .time(.minutes(1), .hours(24 * 7)),
        "Time from one alarm to the next, each of which takes and sends a position."),
      Field("exact", \.exact, .flag, "Set exact alarms where the phone permits them (AAL3)."),
      Field("whileIdle", \.whileIdle, .flag, "Fire in Doze, too, some times an hour (AAL2)."),
    ])
  }

  private static var android: ObjectShape<AndroidUse> {
    ObjectShape(fields: androidFields) { use, origin, reading in
      if use.work != nil, use.alarm != nil {
        reading.diagnose(origin, "'work' and 'alarm' exclude each other; remove one.")
      }
    }
  }

  private static var androidFields: [Field<AndroidUse>] {
    [
      Field(
        "service", \.service, .word(AndroidUse.Service.self),
        "Foreground service: never, while the app is locating, or always (AFG1)."),
      Field(
        "serviceType", \.serviceType, .word(AndroidUse.ServiceType.self),
        "Type of the foreground service: location needs its permission, dataSync and shortService "
          + "end by themselves (AFG6, AFG8)."),
      Field(
        "backgroundLocations", \.backgroundLocations, .flag,
        "Request locations in the background by a pending intent (ABL1, ABL6)."),
      Field(
        "work", \.work, .optional(.time(.minutes(15), .hours(24 * 7))),
        "Period of the app's work, which takes and sends a position (AWM1)."),
      Field(
        "alarm", \.alarm, .optional(alarm.shape(defaults: .standard)),
        "Alarms in place of work; without this key the app sets none (AAL1)."),
      Field(
        "startsOnBoot", \.startsOnBoot, .flag,
        "Start after the phone's start (ABO2) and after an update (ALC10)."),
      Field(
        "asksExemption", \.asksExemption, .flag,
        "Ask to be exempt from battery optimisation (ADZ8)."),
      Field(
        "fastest", \.fastest, .optional(.time(.seconds(1), .hours(24))),
        "Least time between two positions that other apps cause; none: the interval (ABL4)."),
      Field(
        "batch", \.batch, .optional(.time(.seconds(1), .hours(1))),
        "Interval of the positions that a location in the background brings; none: one (ABL2)."),
      Field(
        "loitering", \.loitering, .optional(.time(.seconds(1), .hours(24))),
        "Time in a place after which its entry is told; none: at once (AGF5)."),
      Field(
        "initialTrigger", \.initialTrigger, .flag,
        "Fences that are set tell at once that the phone is inside (AGF5)."),
      Field(
        "motion", \.motion, .word(AndroidUse.MotionSign.self),
        "Sign of motion: off, the significant-motion sensor (AAR3), or activity transitions, which "
          + "also start the app (AAR2)."),
      Field(
        "wakeLock", \.wakeLock, .flag,
        "Keep the processor awake while the foreground service runs (AFG10)."),
      Field(
        "pushJobs", \.pushJobs, .flag,
        "Answer pushes in jobs, which wait for the end of Doze (AFC14)."),
    ]
  }

  private static var places: ObjectShape<PlaceRule> {
    ObjectShape(fields: [
      Field(
        "radius", \.radius, .distance(100, 50_000), "Radius of each region, at least 100 m (RG1)."),
      Field(
        "others", \.others, .count(0...PlaceRule.most - 2),
        "Number of places besides home and work, the favourite first."),
      Field(
        "choose", \.choose, .word(PlaceRule.Choice.self),
        "Places to monitor if the system's limit is exceeded: the nearest or the first (RG9, RG10)."
      ),
      Field(
        "interface", \.interface, .word(PlaceRule.Interface.self),
        "regions: regions of the location manager; monitor: CLMonitor, from iOS 17 on (CM1)."),
      Field(
        "opensMonitor", \.opensMonitor, .flag,
        "Open the monitor at each launch in the background (CM2)."),
      Field(
        "holdsSession", \.holdsSession, .flag,
        "Hold a CLServiceSession, which CLMonitor needs in the background from iOS 18 on (CM5)."),
    ])
  }

  static var app: ObjectShape<AppManifest> {
    ObjectShape(fields: [
      Field(
        "request", \.request, .word(PermissionPlan.self),
        "Permissions that the app requests, and when (AU1, AU3, AU6, AU11, AU17)."),
      Field(
        "whenInUseDescription", \.whenInUseDescription, .flag,
        "NSLocationWhenInUseUsageDescription (AU2)."),
      Field(
        "alwaysDescription", \.alwaysDescription, .flag, "NSLocationAlwaysUsageDescription (AU2)."),
      Field("motionDescription", \.motionDescription, .flag, "NSMotionUsageDescription (AU10)."),
      Field(
        "backgroundMode", \.backgroundMode, .flag,
        "'location' among UIBackgroundModes (AU7, AU8, AU9)."),
      Field(
        "allowsBackgroundUpdates", \.allowsBackgroundUpdates, .flag,
        "allowsBackgroundLocationUpdates (AU7, AU8)."),
      Field(
        "showsIndicator", \.showsIndicator, .flag,
        "showsBackgroundLocationIndicator (iOS 16.4 suspends the app without it)."),
      Field(
        "activitySession", \.activitySession, .word(ActivitySession.self),
        "CLBackgroundActivitySession, which liveUpdates need in the background (LU1, LU2, LU3)."),
      Field("mistakes", \.mistakes, mistakes, "Programming errors of the app."),
      Field(
        "memory", \.memory, .size(30e6, 300e6),
        "Memory while suspended (LC13); Apple advises below 50 MB, and 150 MB or more is "
          + "terminated first."),
    ])
  }

  private static var mistakes: ObjectShape<AppMistakes> {
    ObjectShape(fields: [
      Field(
        "leaksBackgroundTasks", \.leaksBackgroundTasks, .flag,
        "A background task begun with each wake is never ended (LC4)."),
      Field(
        "ignoresExpiration", \.ignoresExpiration, .flag,
        "The expiration handler ends no background task (DC6)."),
      Field(
        "mainThreadWork", \.mainThreadWork, .time(.zero, .minutes(10)),
        "Main-thread work at each change of state; over 10 s the app is killed (LC6)."),
      Field(
        "startsNothingAtLaunch", \.startsNothingAtLaunch, .flag,
        "The app starts no service after a relaunch (LC8)."),
    ])
  }

  static var send: ObjectShape<SendSettings> {
    ObjectShape(
      fields: [
        Field("interval", \.interval, .time(.zero, .hours(24)), "Minimum time between uploads."),
        Field("maxFixes", \.maxFixes, .count(1...10_000), "Maximum number of fixes per batch."),
        Field(
          "afterBurst", \.afterBurst, .flag,
          "Send at the end of a burst, regardless of 'interval' (HY1; S3)."),
        Field(
          "backgroundTask", \.backgroundTask, .flag,
          "Hold a background task while sending (LC7, HY6)."),
        Field(
          "backoffBase", \.backoffBase, .time(.milliseconds(100), .hours(1)), "First backoff."),
        Field(
          "backoffCap", \.backoffCap, .time(.milliseconds(100), .hours(24)), "Maximum backoff."),
      ] + path,
      check: { send, origin, reading in
        if send.isDiscretionary, send.session != .background {
          reading.diagnose(
            origin, "'discretionary' needs a background session; add 'session: background'.")
        }
        if send.backoffCap < send.backoffBase {
          reading.diagnose(origin, "'backoffCap' must be at least 'backoffBase'.")
        }
      })
  }

  private static var path: [Field<SendSettings>] {
    [
      Field(
        "session", \.session, .word(UploadSession.self),
        "URLSession that sends: default in the app's process, background in the system's (NW1)."),
      Field(
        "discretionary", \.isDiscretionary, .flag,
        "Let the system choose when a background session sends (NW3)."),
      Field(
        "cellular", \.allowsCellular, .flag, "Whether batches may be sent without Wi-Fi (NW4)."),
    ]
  }

  static var outbox: ObjectShape<OutboxSettings> {
    ObjectShape(fields: [
      Field(
        "capacity", \.capacity, .count(1...outboxMax),
        "Maximum number of fixes; the oldest are evicted first.")
    ])
  }
}

extension Shape<EventUse.Kinds> {
  package static var eventKinds: Shape {
    let words = EventUse.Kinds.named.map { ($0.name, $0.kind) }
    return Shape<[EventUse.Kinds]>.list(
      of: .word(words, name: \.text), count: 1...words.count
    ).mapped({ EventUse.Kinds($0) }, { set in words.map(\.1).filter(set.contains) })
  }
}

extension PolicySettings {
  /// Sentences on events that the app could not learn of, or not send.
  fileprivate var eventProblems: [String] {
    let kinds = events.kinds
    let rests = [foreground, background].compactMap(\.rest?.sign)
    let readsMotion =
      android.motion != .off
      || rests.contains { if case .motion = $0 { true } else { false } }
    var problems: [String] = []
    if kinds.contains(.regions), places == nil {
      problems.append("'events.regions' needs regions; add 'places: { radius: 150m }'.")
    }
    if kinds.contains(.visits), !visits {
      problems.append("'events.visits' needs visits; write 'visits: true'.")
    }
    if kinds.contains(.motion), !readsMotion {
      problems.append(
        "'events.motion' needs the motion activity; add a rest with 'sign: { motion: … }', or "
          + "'android: { motion: transitions }'.")
    }
    if !kinds.isEmpty, send.session == .background {
      problems.append("'events' are not sent in a background session; remove 'send.session'.")
    }
    return problems
  }
}
