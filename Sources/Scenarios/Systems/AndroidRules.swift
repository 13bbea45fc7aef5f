package import Core

/// The rules of Android that iOS does not have. Each value comes from an OS profile.
package struct AndroidRules: Equatable, Sendable, BitwiseCopyable {
  /// The API level, 26 for Android 8.0 to 36 for Android 16.
  package var api: UInt8 = 34

  // processes
  package var cachedLife = SimDuration.hours(1)
  package var serviceDeathsPerDay = 0.0
  package var restartAfter = SimDuration.zero
  package var swipeStops = false
  package var startsItself = 0.0
  package var exempt = 0.0
  package var ownerRestricts = 0.0
  package var activeAppsStops = 0.0
  package var dataSyncTime = SimDuration.zero
  package var shortServiceTime = SimDuration.zero
  package var wakeLockLimit: SimDuration?
  package var extremeSaver = 0.0

  // Doze
  package var lightAfter = SimDuration.zero
  package var lightIdle = SimDuration.minutes(1)
  package var lightIdleMax = SimDuration.minutes(1)
  package var lightWindow = SimDuration.zero
  package var deepAfter = SimDuration.zero
  package var deepAgain = SimDuration.zero
  package var deepIdle = SimDuration.minutes(1)
  package var deepIdleMax = SimDuration.minutes(1)
  package var deepWindow = SimDuration.zero
  package var alarmClock = 0.0
  package var alarmLead = SimDuration.zero

  // standby buckets
  package var workingSetAfter = SimDuration.zero
  package var frequentAfter = SimDuration.zero
  package var rareAfter = SimDuration.zero
  package var restrictedAfter: SimDuration?
  package var stoppedAfter: SimDuration?
  package var workingSetWork = SimDuration.zero
  package var frequentWork = SimDuration.zero
  package var rareWork = SimDuration.zero
  package var restrictedWork = SimDuration.zero

  // alarms
  package var workingSetAlarm = SimDuration.zero
  package var frequentAlarm = SimDuration.zero
  package var rareAlarm = SimDuration.zero
  package var restrictedAlarm = SimDuration.zero
  package var idleAlarm = SimDuration.zero
  package var exactAlarm = SimDuration.zero
  package var exactAlarms = 0.0

  // locations and pushes
  package var backgroundEvery = SimDuration.minutes(1)
  package var currentAge = SimDuration.zero
  package var othersLocate = 0.0
  package var jitter = 0.0
  package var jitterMax = SimDuration.zero
  package var footNoticed = TimeBand()
  package var vehicleNoticed = TimeBand()
  package var stillNoticed = TimeBand()
  package var sensorNoticed = TimeBand()
  package var locationOff = 0.0
  package var withoutPlay = 0.0
  package var accuracyOff = 0.0
  package var savesData = 0.0
  package var wifiAccuracy = Distance.meters(0)
  package var cellAccuracy = Distance.meters(0)
  package var coarseGrid = Distance.kilometers(1)
  package var coarseOffset = Distance.meters(0)
  package var coarseEvery = SimDuration.minutes(1)
  package var frequentPushes: UInt8?
  package var rarePushes: UInt8?
  package var lowered = 0.0
  package var handlerTime = SimDuration.zero
  package var uninstallTold = SimDuration.hours(1)
  package var deadConnection = 0.0
  package var heartbeatWifi = SimDuration.minutes(15)
  package var heartbeatCellular = SimDuration.minutes(15)

  package init() {}

  /// AFG3: Whether an app in the background may start a foreground service without an exemption.
  package var startsServicesInBackground: Bool { api < 31 }

  /// ALC6: Whether a force stop removes fences, transitions and requests for good.
  package var forceStopForgets: Bool { api >= 35 }

  /// ALC7: How often owners end a running service in the list of active apps.
  package var ownersStopsPerDay: Double { api >= 33 ? activeAppsStops / 30 : 0 }

  /// AFG8: The time of services of these types; nil without a limit.
  package var dataSyncLimit: SimDuration? { api >= 35 ? dataSyncTime : nil }
  package var shortServiceLimit: SimDuration? { api >= 34 ? shortServiceTime : nil }

  /// APM1: Whether the one prompt for locations includes the background.
  package var asksOnce: Bool { api < 29 }

  /// APM8: Whether an app needs the owner's permission for physical activity.
  package var asksActivity: Bool { api >= 29 }

  /// ADZ9: Whether Battery Saver makes the phone doze at once.
  package var dozesQuickly: Bool { api >= 29 }
}

// MARK: - Keys

extension AndroidRules {
  static var shape: ObjectShape<AndroidRules> {
    ObjectShape(fields: processes + limits + doze + buckets + alarms + locations + pushes)
  }

  private static var processes: [Field<AndroidRules>] {
    [
      Field("api", \.api, .count(26...36), "API level: 26 is Android 8.0, 36 is Android 16."),
      Field(
        "cachedLife", \.cachedLife, .time(.minutes(1), .hours(24 * 30)),
        "Median life of a process that has left the screen and runs no foreground service (ALC1)."),
      Field(
        "serviceDeathsPerDay", \.serviceDeathsPerDay, .number(0...1_000),
        "Ends of a foreground service by the maker's battery care, per day in the background "
          + "(AFG9, AOE1, AOE7)."),
      Field(
        "restartAfter", \.restartAfter, .time(.zero, .hours(1)),
        "Time until the system starts a sticky service again (ALC8)."),
      Field(
        "swipeStops", \.swipeStops, .flag,
        "Swiping the app away is a force stop, as on some makers' phones (AOE3, AOE6)."),
      Field(
        "startsItself", \.startsItself, .share,
        "Phones whose maker or owner lets the app start by itself (AOE3, AOE6)."),
      Field(
        "exempt", \.exempt, .share,
        "Owners who exempt the app from battery optimisation if it asks (ADZ8, AOE5)."),
      Field(
        "ownerRestricts", \.ownerRestricts, .share,
        "Owners who have set the app's battery use to Restricted (ASB6)."),
      Field(
        "activeAppsStops", \.activeAppsStops, .number(0...1_000),
        "Ends of a foreground service in the list of active apps, per month (ALC7)."),
    ]
  }

  private static var limits: [Field<AndroidRules>] {
    let time = Shape<SimDuration>.time(.minutes(1), .hours(24))
    return [
      Field(
        "dataSyncTime", \.dataSyncTime, time,
        "Time of a service of type dataSync in 24 hours, from API 35 on (AFG8)."),
      Field(
        "shortServiceTime", \.shortServiceTime, time,
        "Time of a service of type shortService, from API 34 on (AFG8)."),
      Field(
        "wakeLockLimit", \.wakeLockLimit, .optional(time),
        "Time after which a wake lock leads to a force stop; none: never (AOE4)."),
      Field(
        "extremeSaver", \.extremeSaver, .share,
        "Owners whose power saving is the maker's own, which stops the app (ABT5)."),
    ]
  }

  private static var doze: [Field<AndroidRules>] {
    let time = Shape<SimDuration>.time(.seconds(1), .hours(48))
    return [
      Field("lightAfter", \.lightAfter, time, "Time from screen off to light Doze (ADZ1)."),
      Field("lightIdle", \.lightIdle, time, "First idle time of light Doze (ADZ2)."),
      Field("lightIdleMax", \.lightIdleMax, time, "Longest idle time of light Doze (ADZ2)."),
      Field("lightWindow", \.lightWindow, time, "Length of a window of light Doze (ADZ2)."),
      Field(
        "deepAfter", \.deepAfter, time,
        "Time from screen off to deep Doze, for a phone that lies still (ADZ3)."),
      Field("deepAgain", \.deepAgain, time, "Time from the last motion to deep Doze (ADZ6)."),
      Field("deepIdle", \.deepIdle, time, "First idle time of deep Doze (ADZ5)."),
      Field("deepIdleMax", \.deepIdleMax, time, "Longest idle time of deep Doze (ADZ5)."),
      Field("deepWindow", \.deepWindow, time, "Length of a window of deep Doze (ADZ5)."),
      Field(
        "alarmClock", \.alarmClock, .share, "Owners who get up by an alarm clock (ADZ10)."),
      Field(
        "alarmLead", \.alarmLead, time,
        "Time before an alarm clock in which the phone does not doze (ADZ10)."),
    ]
  }

  private static var buckets: [Field<AndroidRules>] {
    let time = Shape<SimDuration>.time(.minutes(1), .hours(24 * 365))
    return [
      Field(
        "workingSetAfter", \.workingSetAfter, time,
        "Time since the app was opened to the working set (ASB1)."),
      Field(
        "frequentAfter", \.frequentAfter, time,
        "Time since the app was opened to the bucket 'frequent' (ASB1)."),
      Field(
        "rareAfter", \.rareAfter, time,
        "Time since the app was opened to the bucket 'rare' (ASB1)."),
      Field(
        "restrictedAfter", \.restrictedAfter, .optional(time),
        "Time since the app was opened to the bucket 'restricted'; none: no such bucket (ASB2)."),
      Field(
        "stoppedAfter", \.stoppedAfter, .optional(time),
        "Time since the app was opened after which nothing starts it; none: never (AHI1, AOE2)."),
      Field(
        "workingSetWork", \.workingSetWork, time,
        "Least time between two jobs, working set (ASB5)."),
      Field("frequentWork", \.frequentWork, time, "Least time between two jobs, frequent (ASB5)."),
      Field("rareWork", \.rareWork, time, "Least time between two jobs, rare (ASB5)."),
      Field(
        "restrictedWork", \.restrictedWork, time,
        "Least time between two jobs, restricted (ASB5)."),
    ]
  }

  private static var alarms: [Field<AndroidRules>] {
    let time = Shape<SimDuration>.time(.seconds(1), .hours(24 * 7))
    return [
      Field(
        "workingSetAlarm", \.workingSetAlarm, time,
        "Least time between two alarms, working set (AAL1)."),
      Field(
        "frequentAlarm", \.frequentAlarm, time, "Least time between two alarms, frequent (AAL1)."),
      Field("rareAlarm", \.rareAlarm, time, "Least time between two alarms, rare (AAL1)."),
      Field(
        "restrictedAlarm", \.restrictedAlarm, time,
        "Least time between two alarms, restricted (AAL1)."),
      Field(
        "idleAlarm", \.idleAlarm, time,
        "Least time between two inexact alarms that fire in Doze (AAL2)."),
      Field(
        "exactAlarm", \.exactAlarm, time,
        "Least time between two exact alarms that fire in Doze (AAL2)."),
      Field(
        "exactAlarms", \.exactAlarms, .share,
        "Phones that permit the app exact alarms (AAL3)."),
    ]
  }

  private static var locations: [Field<AndroidRules>] {
    [
      Field(
        "backgroundEvery", \.backgroundEvery, .time(.minutes(1), .hours(24)),
        "Time between two locations of an app in the background without a foreground service "
          + "(ABL1)."),
      Field(
        "currentAge", \.currentAge, .time(.zero, .hours(1)),
        "Age of the last location up to which it answers a request for the current one (AFL3)."),
      Field(
        "othersLocate", \.othersLocate, .share,
        "Uses of the phone in which another app in front locates each second (ABL4)."),
      Field(
        "jitter", \.jitter, .share,
        "Share by which the least time between two positions may be too short (AFL2)."),
      Field(
        "jitterMax", \.jitterMax, .time(.zero, .hours(1)),
        "Time by which the least time between two positions may be too short, at most (AFL2)."),
      Field(
        "footNoticed", \.footNoticed, ProfileSchema.timeBand,
        "Time from walking or cycling to the transition that tells it (AAR2)."),
      Field(
        "vehicleNoticed", \.vehicleNoticed, ProfileSchema.timeBand,
        "Time from riding in a vehicle to the transition that tells it (AAR2)."),
      Field(
        "stillNoticed", \.stillNoticed, ProfileSchema.timeBand,
        "Time from lying still to the transition that tells it (AAR2)."),
      Field(
        "sensorNoticed", \.sensorNoticed, ProfileSchema.timeBand,
        "Time from motion to the event of the significant-motion sensor (AAR3)."),
      Field(
        "locationOff", \.locationOff, .share,
        "Phones whose owner has switched location off for all apps (APM9)."),
      Field(
        "withoutPlay", \.withoutPlay, .share, "Phones without Play services (ANW3)."),
      Field(
        "accuracyOff", \.accuracyOff, .share,
        "Phones with Google's location accuracy off, whose fences need satellites (AGF7)."),
      Field(
        "savesData", \.savesData, .share,
        "Phones with Data Saver on, where apps in the background send on Wi-Fi only (ANW2)."),
      Field(
        "wifiAccuracy", \.wifiAccuracy, .distance(1, 1_000),
        "Median reported accuracy of positions from Wi-Fi (AFL6)."),
      Field(
        "cellAccuracy", \.cellAccuracy, .distance(1, 10_000),
        "Median reported accuracy of positions from cells (AFL6)."),
      Field(
        "coarseGrid", \.coarseGrid, .distance(100, 20_000),
        "Grid of approximate positions, and their accuracy (AFL8)."),
      Field(
        "coarseOffset", \.coarseOffset, .distance(0, 20_000),
        "Standard deviation per axis of the offset of approximate positions (AFL8)."),
      Field(
        "coarseEvery", \.coarseEvery, .time(.minutes(1), .hours(24)),
        "Least time between two approximate positions (AFL8)."),
    ]
  }

  private static var pushes: [Field<AndroidRules>] {
    [
      Field(
        "frequentPushes", \.frequentPushes, .optional(.count(0...250)),
        "High-priority pushes a day in the bucket 'frequent'; none: no limit (AFC3)."),
      Field(
        "rarePushes", \.rarePushes, .optional(.count(0...250)),
        "High-priority pushes a day in the buckets below; none: no limit (AFC3)."),
      Field(
        "lowered", \.lowered, .share,
        "Phones that treat high-priority pushes which show nothing as normal ones (AFC4)."),
      Field(
        "handlerTime", \.handlerTime, .time(.seconds(1), .minutes(10)),
        "Run time of an app for a push (AFC2)."),
      Field(
        "uninstallTold", \.uninstallTold, .time(.minutes(1), .hours(24 * 30)),
        "Median time from the first push that finds no app to the first 404 (AFC9)."),
      Field(
        "deadConnection", \.deadConnection, .share,
        "Share of pushes whose connection to the phone is dead unnoticed (ANW1)."),
      Field(
        "heartbeatWifi", \.heartbeatWifi, .time(.seconds(1), .hours(2)),
        "Time between two signs of life of the push connection on Wi-Fi (ANW1)."),
      Field(
        "heartbeatCellular", \.heartbeatCellular, .time(.seconds(1), .hours(2)),
        "Time between two signs of life of the push connection on cellular (ANW1)."),
    ]
  }
}
