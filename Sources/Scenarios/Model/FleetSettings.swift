package import Core

package struct FleetSettings: Equatable, Sendable {
  package var phones: Int
  package var cohorts: [Cohort]
  package var phone: PhoneMix
  /// The iPhones that become Android phones; nil once a reader has split the cohorts.
  var android: AndroidMix?
}

package struct Cohort: Equatable, Sendable {
  package var name: String
  package var share: Double
  package var mobility: CohortMobility
  package var policy: Int
  package var os: Named<OSProfile>
  package var significantChange: Named<SignificantChangeProfile>
  package var energy: Named<EnergyProfile>
  package var phone: PhoneMix?
}

package enum MobilityKind: String, CaseIterable, Sendable, BitwiseCopyable {
  case commuter, cyclist, homebody
  /// A commuter who goes to the city's event.
  case spectator
}

/// The condition and use of a fleet's phones, with assumed shares of phones or phone-time, 0 ... 1.
package struct PhoneMix: Equatable, Sendable {
  package var always = 0.0
  /// The share of phones whose final permission is When In Use (AU4); at most 1 with `always`.
  package var whenInUse = 0.0
  /// The share of people with the habit of force-quitting the app (LC11). `forceQuitUses` is the
  /// share of uses after which they do so, on average over these people.
  package var forceQuit = 0.0
  package var forceQuitUses = 0.0
  package var refreshOff = 0.0
  package var lowPower = 0.0
  package var offline = 0.0
  package var switchedOff = 0.0
  package var unregistered = 0.0
  /// The share of phone-time in which a push token is dead, unknown to app and server, because the
  /// app was restored or reinstalled elsewhere. The next launch brings a new token.
  package var staleToken = 0.0
  /// The share of provisional Always permissions that owners deny at the second prompt (iOS 13).
  /// `always` and `whenInUse` are the final states, so a phone denied Always counts in `whenInUse`.
  package var provisionalDenied = 0.0
  package var reducedAccuracy = 0.0
  package var airplane = 0.0
  package var airplaneAtNight = 0.0
  package var withoutSIM = 0.0
  package var wifiOff = 0.0
  package var unopened = 0.0
  package var motionDenied = 0.0
  package var notificationsAllowed = 0.0
  /// The share of phone-time by day in which the system saves power and the provider withholds
  /// pushes of low priority (SP13), on average over phones. `restrictedAtNight` is the share from
  /// 23:00 to 06:00.
  package var restricted = 0.0
  package var restrictedAtNight = 0.0
  package var chargesAtNight = 0.0
  /// OP1: The mean over phones that are not `unopened`. `sessionsSigma` is the standard deviation
  /// of the natural logarithm over phones.
  package var sessionsPerDay = 0.0
  package var sessionsSigma = 0.0
  package var daysUnopened = 0.0
  package var sessionLength = SimDuration.zero
  package var sessionFill = 0.0
  package var swipeAfter = SimDuration.zero
  package var wifiAtStays = 0.0
  package var wifiOnTheWay = 0.0
  /// The share of places and trips at which the signal of every cell is weak (BT9).
  package var weakSignal = 0.0
  /// The share of places and trips with 5G.
  package var newRadio = 0.0
  package var windows = WindowSlots()
  package var nights = NightHabits()
  package var battery = BatteryHabits()
  package var memory = MemoryPressure()
  package var updates = AppUpdates()
  package var reinstalls = Reinstalls()
  package var permission = PermissionHabits()
  package var clock = ClockErrors()
}

/// Owners who watch other phones while they look at the app.
package struct ViewerSettings: Equatable, Sendable, BitwiseCopyable {
  /// The share of phones whose owners are viewers.
  package var share = 0.0
  /// The number of other phones that a viewer watches, those of a group of neighbouring numbers; nil
  /// for every phone, as on a public map.
  package var sees: Int? = 3
  /// The time between two reads of a phone's position during a look at the app.
  package var every = SimDuration.seconds(5)
}

/// The errors of phone clocks, and how often they change (CK1, CK2).
package struct ClockErrors: Equatable, Sendable, BitwiseCopyable {
  package var sigma = SimDuration.zero
  package var setWrong = 0.0
  package var ahead = 0.0
  package var hours = 0.0
  package var hoursMost = SimDuration.zero
  package var days = 0.0
  package var daysMost = SimDuration.zero
  package var minutes = SimDuration.zero
  package var minutesSigma = 0.0
  package var changesPerYear = 0.0

  /// The maximum error of any clock, as when the year is set wrong.
  package static var most: SimDuration { .hours(24 * 366) }
  package static var none: ClockErrors {
    var errors = PhoneMix.standard.clock
    errors.sigma = .zero
    errors.setWrong = 0
    return errors
  }
}

/// The owners' answers to later location prompts, and their changes in the settings.
package struct PermissionHabits: Equatable, Sendable, BitwiseCopyable {
  /// AU12: The share of the phones with Always whose owners have yet to answer the second prompt
  /// when the phones' histories begin.
  package var secondPromptAhead = 0.0
  /// AU14: The share of phones whose owners answer every request with Allow Once. Phones with Allow
  /// Once count in `whenInUse`, and their owners are not asked a second time.
  package var allowOnce = 0.0
  package var takenBack = 0.0
  package var changesPerYear = 0.0
}

/// The lengths of slots. A slot has at most one random event. An event lasts half the slot on
/// average, and longer if the events cover more than half of the time.
package struct WindowSlots: Equatable, Sendable, BitwiseCopyable {
  package var offline = SimDuration.zero
  package var switchedOff = SimDuration.zero
  package var airplane = SimDuration.zero
  package var restricted = SimDuration.zero
  package var staleToken = SimDuration.zero
}

package struct NightHabits: Equatable, Sendable, BitwiseCopyable {
  /// The time of day at which a night begins, for airplane mode, chargers and restrictions.
  package var begin = SimDuration.zero
  package var end = SimDuration.zero
  /// The standard deviation over phones of the shift of a night's begin and end.
  package var spread = SimDuration.zero
  package var sleepUntil = SimDuration.zero
  /// The share of foreground sessions between midnight and `sleepUntil` that are left out, 0 ... 1.
  package var sessionsSlept = 0.0
}

package struct Named<Value: Equatable & Sendable>: Equatable, Sendable {
  package var name: String
  package var description = ""
  package var value: Value
}
