package import SimulationCore

/// Who the phones are.
package struct FleetSettings: Equatable, Sendable {
  package var phones: Int
  package var cohorts: [Cohort]
  package var phone: PhoneMix
}

/// A part of the fleet that shares a way of life, a policy and an OS.
package struct Cohort: Equatable, Sendable {
  package var name: String
  /// 0 ... 1; the shares of a fleet sum to 1.
  package var share: Double
  package var mobility: CohortMobility
  /// Index into `Scenario.policies`.
  package var policy: Int
  package var os: Named<OSProfile>
  /// Which of the OS profile's significant-change services it has; by default the OS's own.
  package var significantChange: Named<SignificantChangeProfile>
  package var energy: Named<EnergyProfile>
  /// What its phones are like; nil: what the fleet's are.
  package var phone: PhoneMix?
}

package enum MobilityKind: String, CaseIterable, Sendable, BitwiseCopyable {
  case commuter, cyclist, homebody
  /// A commuter who goes to the city's event.
  case spectator
}

/// What the phones of a fleet are like. Shares are 0 ... 1, of phones or of phone-time;
/// rule book section 2.4, confidence A.
package struct PhoneMix: Equatable, Sendable {
  package var always: Double
  package var whenInUse: Double
  /// Share of phones on which the user has force-quit the app, at any time.
  package var forceQuit: Double
  /// Share of phones with Background App Refresh off.
  package var refreshOff: Double
  /// Share of phone-time in Low Power Mode.
  package var lowPower: Double
  /// Share of phone-time without a data path.
  package var offline: Double
  package var switchedOff: Double
  /// Share of phones whose push token has become invalid.
  package var unregistered: Double
  /// Share of phone-time in which a push token has died and neither app nor server knows: the app
  /// was restored or installed anew elsewhere, and gets its new token when it is launched.
  package var staleToken: Double
  /// Share of provisional Always that the second prompt takes back (iOS 13). `always` and
  /// `whenInUse` say where owners end, so what is taken back is found among `whenInUse`.
  package var provisionalDenied: Double
  /// Share of phones whose user withholds precise locations (iOS 14).
  package var reducedAccuracy: Double
  /// Share of phone-time in airplane mode, by day and from 23 to 6 h (NO4).
  package var airplane: Double
  package var airplaneAtNight: Double
  /// Share of phones without a SIM: data and coarse positions by Wi-Fi alone (NO5).
  package var withoutSIM: Double
  /// Share of phones whose app was not opened for a week: no push wakes it (rule book 2.2).
  package var unopened: Double
  /// Share of phones that deny motion activity (AU10).
  package var motionDenied: Double
  /// Share of phones in Low Power Mode at 3 h, on top of `lowPower`; it rises from 22 h on and
  /// falls until 6 h.
  package var lowPowerAtNight: Double
  /// Share of phone-time below 20 % battery, outside Low Power Mode.
  package var lowBattery: Double
  /// Share of phone-time, by day and from 23 to 6 h, in which the system saves power and the
  /// provider keeps pushes of low priority to itself.
  package var restricted: Double
  package var restrictedAtNight: Double
  /// Share of nights that a phone spends on a charger, from 23 to 6 h.
  package var chargesAtNight: Double
  /// Foreground sessions a day.
  package var sessionsPerDay: Double
  package var sessionLength: SimDuration
  /// A session fills at most this share of the time to the next one.
  package var sessionFill = 0.9
  /// Share of the stays, and of the ways between them, with Wi-Fi as the data path.
  package var wifiAtStays = 0.9
  package var wifiOnTheWay = 0.05
  package var windows = WindowSlots.standard
  package var nights = NightHabits.standard
}

/// What recurs by chance comes at most once in each slot of this length, and lasts half of it on
/// average.
package struct WindowSlots: Equatable, Sendable, BitwiseCopyable {
  package var offline: SimDuration
  package var lowPower: SimDuration
  package var switchedOff: SimDuration
  package var forceQuit: SimDuration
  package var airplane: SimDuration
  package var lowBattery: SimDuration
  package var restricted: SimDuration
  package var staleToken: SimDuration
}

/// What nights are: times of the clock, as the time since midnight.
package struct NightHabits: Equatable, Sendable, BitwiseCopyable {
  /// Of airplane mode, of the charger, and of what is restricted at night: in the evening, and in
  /// the morning after.
  package var begin: SimDuration
  package var end: SimDuration
  /// The share of phones in Low Power Mode rises from the one in the evening to the second, after
  /// midnight, and falls until the third.
  package var lowPowerFrom: SimDuration
  package var lowPowerMost: SimDuration
  package var lowPowerUntil: SimDuration
  /// From midnight until then so large a share of the foreground sessions does not take place.
  package var sleepUntil: SimDuration
  package var sessionsSlept: Double
}

/// A profile, and the name of its file.
package struct Named<Value: Equatable & Sendable>: Equatable, Sendable {
  package var name: String
  package var description = ""
  package var value: Value
}
