internal import SimulationCore

/// The keys under `fleet.phone` that say when and for how long what owners and networks do takes
/// place.
enum HabitSchema {
  static var times: [Field<PhoneMix>] {
    [
      Field(
        "sessionFill", \.sessionFill, .share,
        "A session fills at most this part of the time to the next.",
        .assumed(0.5, 1, "of the model; keeps sessions apart")),
      Field(
        "swipeAfter", \.swipeAfter, .time(.zero, .hours(1)),
        "From leaving the app to swiping it away, by those who do (LC11).",
        .assumed(.seconds(1), .minutes(1), "no source")),
      Field(
        "wifiAtStays", \.wifiAtStays, .share, "Stays with Wi-Fi as the data path.",
        .assumed(0.6, 1, "rule book 2.4: at home and at work 90 %")),
      Field(
        "wifiOnTheWay", \.wifiOnTheWay, .share, "Ways with Wi-Fi as the data path.",
        .assumed(0, 0.2, "rule book 2.4: moving 5 %")),
      Field(
        "windows", \.windows, windows,
        "What recurs by chance comes once in each slot of this length, and lasts half of it."),
      Field("nights", \.nights, nights, "When it is night, and what nights are like."),
      Field(
        "battery", \.battery, BatterySchema.habits, "How batteries are charged and emptied (BT1)."),
      Field(
        "memory", \.memory, memory, "How often the system ends apps to have memory (LC13, LC14)."),
      Field("updates", \.updates, updates, "How often the app is updated (LC15)."),
      Field(
        "reinstalls", \.reinstalls, reinstalls, "How often it is deleted and comes back (LC16)."),
      Field(
        "permission", \.permission, permission,
        "What owners answer when asked about location again, and change unasked (AU12)."),
      Field("clock", \.clock, clock, "How far the phones' clocks are off (CK1, CK2)."),
    ]
  }

  private static var clock: ObjectShape<ClockErrors> {
    ObjectShape(
      fields: [
        Field(
          "sigma", \.sigma, .time(.zero, .minutes(1)),
          "Spread of the clocks that the network sets, a normal law.",
          .derived(
            .milliseconds(50), .seconds(2), "MNTP: SNTP on wireless laptops about 0.3 s; not phones"
          ))
      ] + setWrong + [
        Field(
          "changesPerYear", \.changesPerYear, .number(0...365),
          "Times a year that a clock is set anew, right or wrong; stamps jump then (CK2).",
          .assumed(0, 1, "no source"))
      ])
  }

  private static var setWrong: [Field<ClockErrors>] {
    let year = ClockErrors.most
    return [
      Field(
        "setWrong", \.setWrong, .share, "Clocks that their owners have set wrong.",
        .assumed(
          0.0005, 0.035, "opensignal.com/reports/timestamps 2013: 3.5 % of Androids an hour off")),
      Field(
        "ahead", \.ahead, .share, "Of these, the part that is ahead; the others are behind.",
        .assumed(0.3, 0.8, "no source")),
      Field(
        "hours", \.hours, .share, "Of these, the part that is off by whole hours.",
        .assumed(0.1, 0.7, "OpenSignal 2013: an hour, on Android; the share A")),
      Field(
        "hoursMost", \.hoursMost, .time(.hours(1), .hours(23)),
        "Whole hours, each equally often, up to this many.",
        .assumed(.hours(1), .hours(12), "no source")),
      Field(
        "days", \.days, .share, "Of these, the part that is off by whole days.",
        .assumed(0, 0.2, "amplitude.com 2014: some clocks years off; no share")),
      Field(
        "daysMost", \.daysMost, .time(.hours(24), year),
        "Whole days, each equally often, up to this many.",
        .assumed(.hours(24), year, "amplitude.com 2014: years, too")),
      Field(
        "minutes", \.minutes, .time(.seconds(1), .hours(12)),
        "Median error of the others, log-normal.",
        .assumed(.minutes(1), .minutes(15), "ios-ntp README: carriers over a minute wrong")),
      Field(
        "minutesSigma", \.minutesSigma, .number(0...3), "Spread of its logarithm.",
        .assumed(0.3, 1.5, "no source")),
    ]
  }

  private static var reinstalls: ObjectShape<Reinstalls> {
    ObjectShape(fields: [
      Field(
        "perYear", \.perYear, .number(0...365),
        "Times a year that an app is installed anew, or its owner moves to a new phone.",
        .assumed(0.02, 2, "no source for either: 0.15 and 0.3")),
      Field(
        "away", \.away, .time(.minutes(1), .hours(24 * 60)),
        "Median time until the owner opens the new installation.",
        .assumed(.minutes(5), .hours(72), "no source")),
      Field(
        "awaySigma", \.awaySigma, .number(0...3), "Spread of that time, of its logarithm.",
        .assumed(0, 2, "no source")),
    ])
  }

  private static var permission: ObjectShape<PermissionHabits> {
    ObjectShape(fields: [
      Field(
        "secondPromptAhead", \.secondPromptAhead, .share,
        "Phones with Always whose owner has yet to answer the second prompt (AU12).",
        .read(0, 1, "Apple, requestAlwaysAuthorization: all who install the app; others none")),
      Field(
        "allowOnce", \.allowOnce, .share,
        "Phones, among 'whenInUse', whose owner answers Allow Once each time (AU14).",
        .assumed(
          0, 0.3, "no source: what 'provisionalDenied' leaves of 'whenInUse'; q42.nl: it exists")),
      Field(
        "takenBack", \.takenBack, .share,
        "Reminders with a map at which Always is taken back (AU13).",
        .assumed(
          0.01, 0.2, "no share found; howtogeek 2020: 68 % less background data since iOS 13")),
      Field(
        "changesPerYear", \.changesPerYear, .number(0...1_000),
        "Times a year that an owner decides anew in Settings, as the mix has it (AU16).",
        .assumed(0, 2, "no source")),
    ])
  }

  private static var memory: ObjectShape<MemoryPressure> {
    let thread = "forums/776814: 2 and more a day on the 90th percentile of one app's phones"
    return ObjectShape(fields: [
      Field(
        "perScreenHour", \.perScreenHour, .number(0...100),
        "Ends of a suspended app of 100 MB, in an hour with the screen on.",
        .derived(0.03, 0.5, "\(thread), at 4 h of screen a day")),
      Field(
        "perIdleHour", \.perIdleHour, .number(0...100), "The same with the screen off.",
        .assumed(0, 0.05, "xdripswift 201: a first end at night after days; the rate A")),
      Field(
        "whileRunning", \.whileRunning, .share,
        "Of these, the part that also ends an app that runs in the background (LC14).",
        .assumed(0, 0.3, "forums/776814: running apps can go too; the share A")),
      Field(
        "sigma", \.sigma, .number(0...3), "Spread over phones, of the rates' logarithm.",
        .assumed(0, 1.5, "of the model: the 90th percentile is 3.6 medians at 1")),
    ])
  }

  private static var updates: ObjectShape<AppUpdates> {
    ObjectShape(fields: [
      Field(
        "perYear", \.perYear, .number(0...365), "New versions a year.",
        .assumed(4, 52, "no source")),
      Field(
        "soon", \.soon, .share, "Phones that are ready for one within 'soonWithin'.",
        .excerpt(0.3, 0.9, "david-smith.org 2019: 80 % in a few days; neurons.dk 2015: 29 %")),
      Field(
        "soonWithin", \.soonWithin, .time(.hours(1), .hours(24 * 60)), "Time in which they are.",
        .excerpt(.hours(24), .hours(96), "david-smith.org 2019: a couple of days")),
      Field(
        "halfLife", \.halfLife, .time(.hours(1), .hours(24 * 365)),
        "Time in which half of the others get ready.",
        .derived(
          .hours(48), .hours(24 * 30), "neurons.dk 2015: 42 % in a week, 57 % in a month")),
      Field(
        "needsOpening", \.needsOpening, .share,
        "Installations after which nothing starts the app until it is opened.",
        .assumed(0, 0.5, "rnbg 1439: often not until opened and moving; the share A")),
    ])
  }

  private static var windows: ObjectShape<WindowSlots> {
    let source = "no source; the share of the time is another key"
    func slot(
      _ name: String, _ path: WritableKeyPath<WindowSlots, SimDuration>, _ doc: String,
      _ low: SimDuration, _ high: SimDuration
    ) -> Field<WindowSlots> {
      Field(
        name, path, .time(.minutes(1), .hours(24 * 14)), doc, .assumed(low, high, source))
    }
    return ObjectShape(fields: [
      slot("offline", \.offline, "Losses of the data path.", .minutes(10), .hours(6)),
      slot("switchedOff", \.switchedOff, "Switched off.", .hours(4), .hours(72)),
      slot(
        "forceQuit", \.forceQuit, "Swiping the app away after use.", .hours(6), .hours(24 * 7)),
      slot("airplane", \.airplane, "Airplane mode.", .hours(1), .hours(12)),
      slot("restricted", \.restricted, "A system that saves power.", .hours(1), .hours(24)),
      slot("staleToken", \.staleToken, "A push token that has died.", .hours(12), .hours(24 * 14)),
    ])
  }

  private static var nights: ObjectShape<NightHabits> {
    ObjectShape(fields: ends + sleep)
  }

  private static var evening: Shape<SimDuration> { .time(.hours(12), .hours(24)) }
  private static var morning: Shape<SimDuration> { .time(.zero, .hours(12)) }

  private static var ends: [Field<NightHabits>] {
    [
      Field(
        "begin", \.begin, evening, "Time of the clock from which nightly habits hold.",
        .assumed(.hours(21), .hours(24), "rule book 4: from 23 to 6 h people are mostly at home")),
      Field(
        "end", \.end, morning, "Until when, in the morning.",
        .assumed(.hours(5), .hours(8), "rule book 4: from 23 to 6 h people are mostly at home")),
    ]
  }

  private static var sleep: [Field<NightHabits>] {
    [
      Field(
        "sleepUntil", \.sleepUntil, morning,
        "From midnight until then sessions are rare; those of the day become more.",
        .assumed(.hours(4), .hours(8), "no source")),
      Field(
        "sessionsSlept", \.sessionsSlept, .share, "The part of them that does not take place.",
        .assumed(0.7, 1, "no source")),
    ]
  }
}
