internal import Core

extension Kind<Policy> {
  static var policy: Kind {
    Kind(
      files: .policy, object: PolicySchema.policy, standard: .standard, name: \.name,
      list: \.policies)
  }
}

enum PolicySchema {
  /// A phone counts its outbox in sixteen bits.
  static let outboxMax = 65_535

  nonisolated(unsafe) static let policy = ObjectShape<Policy>(
    fields: [
      Field("name", \.name, .name, "How cohorts refer to this policy; a file's own name."),
      Field("description", \.description, .sentence, "What the policy is for."),
      Field(
        "version", \.settings.version, .count(1...UInt32.max),
        "Settings from the server grow (HY2)."),
      Field("app", \.settings.app, app, "What the app is to its operating system."),
      Field(
        "significantChange", \.settings.significantChange, .flag,
        "Significant-change service on (SL1)."),
      Field("visits", \.settings.visits, .flag, "Visit monitoring on (VI1)."),
      Field(
        "regionRadius", \.settings.regionRadius, .optional(.distance(100, 50_000)),
        "Radius of the region kept round the last fix, at least 100 m (RG1)."),
      Field(
        "places", \.settings.places, .optional(places.shape(defaults: .standard)),
        "Regions round places that the app knows, whose entry and exit it hears (RG5)."),
      Field("foreground", \.settings.foreground, ModeSchema.mode, "While in use (HY2)."),
      Field("background", \.settings.background, ModeSchema.mode, "Otherwise (HY2)."),
      Field("send", \.settings.send, send, "When batches travel."),
      Field("outbox", \.settings.outbox, outbox, "What waits."),
      Field(
        "onPush", \.settings.onPush, .word(PushResponse.self), "Answer to a silent push (SP2)."),
    ],
    check: { policy, origin, reading in
      let settings = policy.settings
      if settings.send.maxFixes > settings.outbox.capacity {
        reading.diagnose(
          origin,
          "'send.maxFixes' is \(settings.send.maxFixes), but the outbox holds only "
            + "\(settings.outbox.capacity) ('outbox.capacity'): no batch could be full.")
      }
    })

  private static var places: ObjectShape<PlaceRule> {
    ObjectShape(fields: [
      Field("radius", \.radius, .distance(100, 50_000), "Of each region, at least 100 m (RG1)."),
      Field(
        "others", \.others, .count(0...PlaceRule.most - 2),
        "Places beside home and work, from the favourite on."),
      Field(
        "choose", \.choose, .word(PlaceRule.Choice.self),
        "Which of more places than the system takes: the nearest, or the first (RG9, RG10)."),
      Field(
        "interface", \.interface, .word(PlaceRule.Interface.self),
        "regions: the location manager's; monitor: CLMonitor's, from iOS 17 on (CM1)."),
      Field(
        "opensMonitor", \.opensMonitor, .flag,
        "Opens its monitor when it is launched in the background (CM2)."),
    ])
  }

  static var app: ObjectShape<AppManifest> {
    ObjectShape(fields: [
      Field(
        "request", \.request, .word(PermissionPlan.self),
        "What it asks for when first opened (AU1, AU3, AU6, AU11)."),
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
        "showsBackgroundLocationIndicator (iOS 16.4 suspends without it)."),
      Field(
        "activitySession", \.activitySession, .word(ActivitySession.self),
        "CLBackgroundActivitySession, which liveUpdates need in the background (LU1, LU2, LU3)."),
      Field("mistakes", \.mistakes, mistakes, "What the app does wrong."),
      Field(
        "memory", \.memory, .size(30e6, 300e6),
        "What it holds while suspended (LC13). Apple: below 50 MB; 150 MB and more goes first."),
    ])
  }

  private static var mistakes: ObjectShape<AppMistakes> {
    ObjectShape(fields: [
      Field(
        "leaksBackgroundTasks", \.leaksBackgroundTasks, .flag,
        "A background task begun with each wake is never ended (LC4)."),
      Field(
        "ignoresExpiration", \.ignoresExpiration, .flag,
        "The expiration handler ends nothing (DC6)."),
      Field(
        "mainThreadWork", \.mainThreadWork, .time(.zero, .minutes(10)),
        "On the main thread at each change of state; beyond 10 s it is killed (LC6)."),
      Field(
        "startsNothingAtLaunch", \.startsNothingAtLaunch, .flag,
        "After a relaunch it starts no service (LC8)."),
    ])
  }

  static var send: ObjectShape<SendSettings> {
    ObjectShape(
      fields: [
        Field("interval", \.interval, .time(.zero, .hours(24)), "Least time between uploads."),
        Field("maxFixes", \.maxFixes, .count(1...10_000), "The most fixes of one batch."),
        Field(
          "afterBurst", \.afterBurst, .flag,
          "The end of a burst sends what was collected, whatever 'interval' says (HY1; S3)."),
        Field("backgroundTask", \.backgroundTask, .flag, "Held while sending (LC7, HY6)."),
        Field(
          "backoffBase", \.backoffBase, .time(.milliseconds(100), .hours(1)), "First back-off."),
        Field("backoffCap", \.backoffCap, .time(.milliseconds(100), .hours(24)), "Longest one."),
      ] + path,
      check: { send, origin, reading in
        if send.isDiscretionary, send.session != .background {
          reading.diagnose(
            origin, "only a background session is discretionary; add 'session: background'.")
        }
        if send.backoffCap < send.backoffBase {
          reading.diagnose(origin, "'backoffCap' is less than 'backoffBase'; it must not be.")
        }
      })
  }

  private static var path: [Field<SendSettings>] {
    [
      Field(
        "session", \.session, .word(UploadSession.self),
        "The URLSession that sends: the app's own, or one of the system's process (NW1)."),
      Field(
        "discretionary", \.isDiscretionary, .flag,
        "A background session sends when it suits the system (NW3)."),
      Field("cellular", \.allowsCellular, .flag, "Whether batches may travel without Wi-Fi (NW4)."),
    ]
  }

  static var outbox: ObjectShape<OutboxSettings> {
    ObjectShape(fields: [
      Field(
        "capacity", \.capacity, .count(1...outboxMax), "Fixes kept; the oldest makes room first.")
    ])
  }
}
