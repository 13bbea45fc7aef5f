internal import Core

/// The keys under `fleet.phone` for the times and durations of what owners and networks do.
enum HabitSchema {
  static var times: [Field<PhoneMix>] {
    [
      Field(
        "sessionFill", \.sessionFill, .share,
        "A session fills at most this part of the time to the next."),
      Field(
        "swipeAfter", \.swipeAfter, .time(.zero, .hours(1)),
        "From leaving the app to swiping it away, by those who do (LC11)."),
      Field("wifiAtStays", \.wifiAtStays, .share, "Stays with Wi-Fi as the data path."),
      Field("wifiOnTheWay", \.wifiOnTheWay, .share, "Ways with Wi-Fi as the data path."),
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
          "Spread of the clocks that the network sets, a normal law.")
      ] + setWrong + [
        Field(
          "changesPerYear", \.changesPerYear, .number(0...365),
          "Times a year that a clock is set anew, right or wrong; stamps jump then (CK2).")
      ])
  }

  private static var setWrong: [Field<ClockErrors>] {
    let year = ClockErrors.most
    return [
      Field("setWrong", \.setWrong, .share, "Clocks that their owners have set wrong."),
      Field("ahead", \.ahead, .share, "Of these, the part that is ahead; the others are behind."),
      Field("hours", \.hours, .share, "Of these, the part that is off by whole hours."),
      Field(
        "hoursMost", \.hoursMost, .time(.hours(1), .hours(23)),
        "Whole hours, each equally often, up to this many."),
      Field("days", \.days, .share, "Of these, the part that is off by whole days."),
      Field(
        "daysMost", \.daysMost, .time(.hours(24), year),
        "Whole days, each equally often, up to this many."),
      Field(
        "minutes", \.minutes, .time(.seconds(1), .hours(12)),
        "Median error of the others, log-normal."),
      Field("minutesSigma", \.minutesSigma, .number(0...3), "Spread of its logarithm."),
    ]
  }

  private static var reinstalls: ObjectShape<Reinstalls> {
    ObjectShape(fields: [
      Field(
        "perYear", \.perYear, .number(0...365),
        "Times a year that an app is installed anew, or its owner moves to a new phone."),
      Field(
        "away", \.away, .time(.minutes(1), .hours(24 * 60)),
        "Median time until the owner opens the new installation."),
      Field("awaySigma", \.awaySigma, .number(0...3), "Spread of that time, of its logarithm."),
    ])
  }

  private static var permission: ObjectShape<PermissionHabits> {
    ObjectShape(fields: [
      Field(
        "secondPromptAhead", \.secondPromptAhead, .share,
        "Phones with Always whose owner has yet to answer the second prompt (AU12)."),
      Field(
        "allowOnce", \.allowOnce, .share,
        "Phones, among 'whenInUse', whose owner answers Allow Once each time (AU14)."),
      Field(
        "takenBack", \.takenBack, .share,
        "Reminders with a map at which Always is taken back (AU13)."),
      Field(
        "changesPerYear", \.changesPerYear, .number(0...1_000),
        "Times a year that an owner decides anew in Settings, as the mix has it (AU16)."),
    ])
  }

  private static var memory: ObjectShape<MemoryPressure> {
    ObjectShape(fields: [
      Field(
        "perScreenHour", \.perScreenHour, .number(0...100),
        "Ends of a suspended app of 100 MB, in an hour with the screen on."),
      Field("perIdleHour", \.perIdleHour, .number(0...100), "The same with the screen off."),
      Field(
        "whileRunning", \.whileRunning, .share,
        "Of these, the part that also ends an app that runs in the background (LC14)."),
      Field("sigma", \.sigma, .number(0...3), "Spread over phones, of the rates' logarithm."),
    ])
  }

  private static var updates: ObjectShape<AppUpdates> {
    ObjectShape(fields: [
      Field("perYear", \.perYear, .number(0...365), "New versions a year."),
      Field("soon", \.soon, .share, "Phones that are ready for one within 'soonWithin'."),
      Field(
        "soonWithin", \.soonWithin, .time(.hours(1), .hours(24 * 60)), "Time in which they are."),
      Field(
        "halfLife", \.halfLife, .time(.hours(1), .hours(24 * 365)),
        "Time in which half of the others get ready."),
      Field(
        "needsOpening", \.needsOpening, .share,
        "Installations after which nothing starts the app until it is opened."),
    ])
  }

  private static var windows: ObjectShape<WindowSlots> {
    let slot = Shape<SimDuration>.time(.minutes(1), .hours(24 * 14))
    return ObjectShape(fields: [
      Field("offline", \.offline, slot, "Losses of the data path."),
      Field("switchedOff", \.switchedOff, slot, "Switched off."),
      Field("forceQuit", \.forceQuit, slot, "Swiping the app away after use."),
      Field("airplane", \.airplane, slot, "Airplane mode."),
      Field("restricted", \.restricted, slot, "A system that saves power."),
      Field("staleToken", \.staleToken, slot, "A push token that has died."),
    ])
  }

  private static var nights: ObjectShape<NightHabits> {
    ObjectShape(fields: ends + sleep)
  }

  private static var evening: Shape<SimDuration> { .time(.hours(12), .hours(24)) }
  private static var morning: Shape<SimDuration> { .time(.zero, .hours(12)) }

  private static var ends: [Field<NightHabits>] {
    [
      Field("begin", \.begin, evening, "Time of the clock from which nightly habits hold."),
      Field("end", \.end, morning, "Until when, in the morning."),
    ]
  }

  private static var sleep: [Field<NightHabits>] {
    [
      Field(
        "sleepUntil", \.sleepUntil, morning,
        "From midnight until then sessions are rare; those of the day become more."),
      Field("sessionsSlept", \.sessionsSlept, .share, "The part of them that does not take place."),
    ]
  }
}
