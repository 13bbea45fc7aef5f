package import SimulationCore

/// Who the phones are.
package struct FleetSettings: Equatable, Sendable {
  /// The number of installed phones, 1 ... 10,000,000.
  package var phones: Int
  /// The cohorts that the phones are divided into; their shares sum to 1.
  package var cohorts: [Cohort]
  /// What the phones are like, except in a cohort that has a mix of its own.
  package var phone: PhoneMix
}

/// A part of the fleet that shares a way of life, a policy and an OS.
package struct Cohort: Equatable, Sendable {
  /// The name that faults, rollouts and reports use for the cohort, unique in its fleet.
  package var name: String
  /// 0 ... 1; the shares of a fleet sum to 1.
  package var share: Double
  /// How its people move: by an agenda or as recorded.
  package var mobility: CohortMobility
  /// Index into `Scenario.policies`.
  package var policy: Int
  /// The operating system of its phones, with `significantChange` already put into it.
  package var os: Named<OSProfile>
  /// Which of the OS profile's significant-change services it has; by default the OS's own.
  package var significantChange: Named<SignificantChangeProfile>
  /// The profile that prices the energy of its phones.
  package var energy: Named<EnergyProfile>
  /// What its phones are like; nil: what the fleet's are.
  package var phone: PhoneMix?
}

/// The way of life that a person's agenda is drawn from.
package enum MobilityKind: String, CaseIterable, Sendable, BitwiseCopyable {
  case commuter, cyclist, homebody
  /// A commuter who goes to the city's event.
  case spectator
}

/// What the phones of a fleet are like. Shares are 0 ... 1, of phones or of phone-time;
/// rule book section 2.4, confidence A.
package struct PhoneMix: Equatable, Sendable {
  /// The share of phones whose owner ends with Always permission (AU5).
  package var always = 0.0
  /// The share of phones whose owner ends with When In Use permission (AU4); with `always` at
  /// most 1.
  package var whenInUse = 0.0
  /// Share of phone-time in which the user swipes the app away after each use, so that it is
  /// force-quit but for the sessions (LC11).
  package var forceQuit = 0.0
  /// Share of phones with Background App Refresh off.
  package var refreshOff = 0.0
  /// The share of owners who always keep Low Power Mode on.
  package var lowPower = 0.0
  /// Share of phone-time without a data path.
  package var offline = 0.0
  /// The share of phone-time in which the phone is switched off.
  package var switchedOff = 0.0
  /// Share of phones whose push token has become invalid.
  package var unregistered = 0.0
  /// Share of phone-time in which a push token has died and neither app nor server knows: the app
  /// was restored or installed anew elsewhere, and gets its new token when it is launched.
  package var staleToken = 0.0
  /// Share of provisional Always that the second prompt takes back (iOS 13). `always` and
  /// `whenInUse` say where owners end, so what is taken back is found among `whenInUse`.
  package var provisionalDenied = 0.0
  /// Share of phones whose user withholds precise locations (iOS 14).
  package var reducedAccuracy = 0.0
  /// Share of phone-time in airplane mode, by day and from 23 to 6 h (NO4).
  package var airplane = 0.0
  /// The share of phone-time in airplane mode at night, between `nights.begin` and `nights.end`.
  package var airplaneAtNight = 0.0
  /// Share of phones without a SIM: data and coarse positions by Wi-Fi alone (NO5).
  package var withoutSIM = 0.0
  /// Share of phones whose Wi-Fi is switched off: positions by satellites and cells, data by cells.
  package var wifiOff = 0.0
  /// Share of phones whose app was not opened for a week: no push wakes it (rule book 2.2).
  package var unopened = 0.0
  /// Share of phones that deny motion activity (AU10).
  package var motionDenied = 0.0
  /// The share of phones whose owner lets the app show alerts (AL1).
  package var notificationsAllowed = 0.0
  /// Share of phone-time, by day and from 23 to 6 h, in which the system saves power and the
  /// provider keeps pushes of low priority to itself.
  package var restricted = 0.0
  /// The share of phone-time at night in which the provider keeps pushes of low priority.
  package var restrictedAtNight = 0.0
  /// Share of nights that a phone spends on a charger at home, from 23 to 6 h.
  package var chargesAtNight = 0.0
  /// Foreground sessions a day.
  package var sessionsPerDay = 0.0
  /// The length of a foreground session.
  package var sessionLength = SimDuration.zero
  /// A session fills at most this share of the time to the next one.
  package var sessionFill = 0.0
  /// The time from leaving the app to swiping it away, by owners who do.
  package var swipeAfter = SimDuration.zero
  /// Share of the stays, and of the ways between them, with Wi-Fi as the data path.
  package var wifiAtStays = 0.0
  /// The share of the ways between stays with Wi-Fi as the data path, 0 ... 1.
  package var wifiOnTheWay = 0.0
  /// The slots that conditions which recur by chance are drawn in.
  package var windows = WindowSlots()
  /// When it is night and how the habits differ then.
  package var nights = NightHabits()
  /// How owners charge and use their phones.
  package var battery = BatteryHabits()
  /// How often the phones need memory and end apps for it.
  package var memory = MemoryPressure()
  /// How often the app is updated.
  package var updates = AppUpdates()
  /// How often the app is deleted and installed anew.
  package var reinstalls = Reinstalls()
  /// What owners answer when they are asked about location again, and change unasked.
  package var permission = PermissionHabits()
  /// How far the phones' clocks are off.
  package var clock = ClockErrors()
}

/// How far the clocks of phones are off, and how often that changes (CK1, CK2).
package struct ClockErrors: Equatable, Sendable, BitwiseCopyable {
  /// The spread of clocks that the network sets, as the deviation of a normal law.
  package var sigma = SimDuration.zero
  /// The share of clocks that their owners have set wrong.
  package var setWrong = 0.0
  /// The share of those that are ahead.
  package var ahead = 0.0
  /// The share of those that are off by whole hours, from one to `hoursMost`.
  package var hours = 0.0
  /// The greatest error of whole hours.
  package var hoursMost = SimDuration.zero
  /// The share of those that are off by whole days, from one to `daysMost`.
  package var days = 0.0
  /// The greatest error of whole days.
  package var daysMost = SimDuration.zero
  /// The median error of the others among those.
  package var minutes = SimDuration.zero
  /// The spread of that error, as the deviation of its logarithm.
  package var minutesSigma = 0.0
  /// How often a year a clock is set anew; its error is then drawn again.
  package var changesPerYear = 0.0

  /// The greatest error of any clock: a year set wrong.
  package static var most: SimDuration { .hours(24 * 366) }
  /// Are clocks that are never off.
  package static var none: ClockErrors {
    var errors = PhoneMix.standard.clock
    errors.sigma = .zero
    errors.setWrong = 0
    return errors
  }
}

/// What owners answer when their phones ask about location once more, and what they change unasked.
package struct PermissionHabits: Equatable, Sendable, BitwiseCopyable {
  /// AU12: Is the share of the phones with Always whose owner has yet to answer the second prompt
  /// when their history begins.
  package var secondPromptAhead = 0.0
  /// AU14: Is the share of phones whose owner answers Allow Once whenever the app asks; they are
  /// among those with When In Use that are not asked a second time.
  package var allowOnce = 0.0
  /// AU13: Is the share of the reminders with a map at which Always is taken back.
  package var takenBack = 0.0
  /// AU16: Is how often a year an owner decides anew in Settings.
  package var changesPerYear = 0.0
}

/// What recurs by chance comes at most once in each slot of this length, and lasts half of it on
/// average.
package struct WindowSlots: Equatable, Sendable, BitwiseCopyable {
  /// The slot for a loss of the data path.
  package var offline = SimDuration.zero
  /// The slot for a phone that is switched off.
  package var switchedOff = SimDuration.zero
  /// The slot for a time in which the user swipes the app away after each use.
  package var forceQuit = SimDuration.zero
  /// The slot for airplane mode.
  package var airplane = SimDuration.zero
  /// The slot for a system that saves power, while the provider keeps pushes of low priority.
  package var restricted = SimDuration.zero
  /// The slot for a push token that has died unnoticed.
  package var staleToken = SimDuration.zero
}

/// What nights are: times of the clock, as the time since midnight.
package struct NightHabits: Equatable, Sendable, BitwiseCopyable {
  /// Of airplane mode, of the charger, and of what is restricted at night: in the evening, and in
  /// the morning after.
  package var begin = SimDuration.zero
  /// The time of the clock at which night ends, 00:00 ... 12:00.
  package var end = SimDuration.zero
  /// From midnight until then so large a share of the foreground sessions does not take place.
  package var sleepUntil = SimDuration.zero
  /// The share of the foreground sessions between midnight and `sleepUntil` that are left out, 0
  /// ... 1.
  package var sessionsSlept = 0.0
}

/// A profile, and the name of its file.
package struct Named<Value: Equatable & Sendable>: Equatable, Sendable {
  /// The name of the profile's file, by which cohorts refer to it.
  package var name: String
  /// What the profile stands for; empty where its file does not.
  package var description = ""
  /// The profile with every default filled in.
  package var value: Value
}
