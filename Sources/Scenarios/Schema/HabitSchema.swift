internal import Core

/// The keys under `fleet.phone` for the times and durations of what owners and networks do.
enum HabitSchema {
  static var times: [Field<PhoneMix>] {
    [
      Field(
        "sessionFill", \.sessionFill, .share,
        "Maximum share of the time to the next session that a session takes."),
      Field(
        "swipeAfter", \.swipeAfter, .time(.zero, .hours(1)),
        "Time from leaving the app to force-quitting it (LC11)."),
      Field("wifiAtStays", \.wifiAtStays, .share, "Share of stays with Wi-Fi as the data path."),
      Field("wifiOnTheWay", \.wifiOnTheWay, .share, "Share of trips with Wi-Fi as the data path."),
      Field(
        "weakSignal", \.weakSignal, .share,
        "Share of places and trips with a weak cellular signal (BT9)."),
      Field(
        "newRadio", \.newRadio, .share,
        "Share of places and trips with 5G, for phones that have it (BT10)."),
      Field(
        "windows", \.windows, windows,
        "Slot lengths of random events. A slot has at most one event, which lasts half the slot on "
          + "average, and longer if events cover more than half of the time."),
      Field("nights", \.nights, nights, "Hours of the night, and habits at night."),
      Field(
        "battery", \.battery, BatterySchema.habits, "Charging and use of batteries (BT1)."),
      Field(
        "memory", \.memory, memory,
        "How often the system terminates apps to free memory (LC13, LC14)."),
      Field("updates", \.updates, updates, "How often the app is updated (LC15)."),
      Field(
        "reinstalls", \.reinstalls, reinstalls,
        "How often the app is deleted and reinstalled (LC16)."),
      Field(
        "permission", \.permission, permission,
        "Answers to later location prompts, and changes in Settings (AU12)."),
      Field("clock", \.clock, clock, "Errors of the phones' clocks (CK1, CK2)."),
    ]
  }

  private static var clock: ObjectShape<ClockErrors> {
    ObjectShape(
      fields: [
        Field(
          "sigma", \.sigma, .time(.zero, .minutes(1)),
          "Standard deviation of the error of clocks set by the network, normally distributed.")
      ] + setWrong + [
        Field(
          "changesPerYear", \.changesPerYear, .number(0...365),
          "Clock changes per year, right or wrong, at which timestamps jump (CK2).")
      ])
  }

  private static var setWrong: [Field<ClockErrors>] {
    let year = ClockErrors.most
    return [
      Field("setWrong", \.setWrong, .share, "Share of clocks that their owners set wrong."),
      Field("ahead", \.ahead, .share, "Share of wrong clocks that are ahead; the rest are behind."),
      Field("hours", \.hours, .share, "Share of wrong clocks that are off by whole hours."),
      Field(
        "hoursMost", \.hoursMost, .time(.hours(1), .hours(23)),
        "Maximum error in whole hours, uniformly distributed."),
      Field("days", \.days, .share, "Share of wrong clocks that are off by whole days."),
      Field(
        "daysMost", \.daysMost, .time(.hours(24), year),
        "Maximum error in whole days, uniformly distributed."),
      Field(
        "minutes", \.minutes, .time(.seconds(1), .hours(12)),
        "Median error of wrong clocks that are off neither by whole hours nor by days, log-normal."
      ),
      Field(
        "minutesSigma", \.minutesSigma, .number(0...3),
        "Standard deviation of the natural logarithm of the error 'minutes'."),
    ]
  }

  private static var reinstalls: ObjectShape<Reinstalls> {
    ObjectShape(fields: [
      Field(
        "perYear", \.perYear, .number(0...365),
        "Reinstallations and moves to a new phone per year."),
      Field(
        "away", \.away, .time(.minutes(1), .hours(24 * 60)),
        "Median time until the owner opens the new installation."),
      Field(
        "awaySigma", \.awaySigma, .number(0...3),
        "Standard deviation of the natural logarithm of the time 'away'."),
    ])
  }

  private static var permission: ObjectShape<PermissionHabits> {
    ObjectShape(fields: [
      Field(
        "secondPromptAhead", \.secondPromptAhead, .share,
        "Phones with Always whose owner has not answered the second prompt yet (AU12)."),
      Field(
        "allowOnce", \.allowOnce, .share,
        "Phones counted in 'whenInUse' whose owner always answers Allow Once (AU14)."),
      Field(
        "takenBack", \.takenBack, .share,
        "Reminders with a map at which the owner revokes Always (AU13)."),
      Field(
        "changesPerYear", \.changesPerYear, .number(0...1_000),
        "Permission changes in Settings per year, drawn from the fleet's permissions (AU16)."),
    ])
  }

  private static var memory: ObjectShape<MemoryPressure> {
    ObjectShape(fields: [
      Field(
        "perScreenHour", \.perScreenHour, .number(0...100),
        "Terminations of a suspended 100 MB app per hour with the screen on."),
      Field(
        "perIdleHour", \.perIdleHour, .number(0...100),
        "Terminations of a suspended 100 MB app per hour with the screen off."),
      Field(
        "whileRunning", \.whileRunning, .share,
        "Share of terminations that also hit an app running in the background (LC14)."),
      Field(
        "sigma", \.sigma, .number(0...3),
        "Standard deviation of the natural logarithm of the termination rates across phones."),
    ])
  }

  private static var updates: ObjectShape<AppUpdates> {
    ObjectShape(fields: [
      Field("perYear", \.perYear, .number(0...365), "New versions per year."),
      Field("soon", \.soon, .share, "Phones that are ready for an update within 'soonWithin'."),
      Field(
        "soonWithin", \.soonWithin, .time(.hours(1), .hours(24 * 60)),
        "Time within which the phones counted in 'soon' are ready for an update."),
      Field(
        "halfLife", \.halfLife, .time(.hours(1), .hours(24 * 365)),
        "Time in which half of the phones not counted in 'soon' become ready."),
      Field(
        "needsOpening", \.needsOpening, .share,
        "Updates after which nothing starts the app until the owner opens it."),
    ])
  }

  private static var windows: ObjectShape<WindowSlots> {
    let slot = Shape<SimDuration>.time(.minutes(1), .hours(24 * 14))
    return ObjectShape(fields: [
      Field("offline", \.offline, slot, "Slot length of losses of the data path."),
      Field("switchedOff", \.switchedOff, slot, "Slot length of times switched off."),
      Field("airplane", \.airplane, slot, "Slot length of times in airplane mode."),
      Field(
        "restricted", \.restricted, slot,
        "Slot length of times in which the provider holds pushes."),
      Field("staleToken", \.staleToken, slot, "Slot length of times with an invalid push token."),
    ])
  }

  private static var nights: ObjectShape<NightHabits> {
    ObjectShape(fields: ends + sleep)
  }

  private static var evening: Shape<SimDuration> { .time(.hours(12), .hours(24)) }
  private static var morning: Shape<SimDuration> { .time(.zero, .hours(12)) }

  private static var ends: [Field<NightHabits>] {
    [
      Field("begin", \.begin, evening, "Time of day at which the night begins."),
      Field("end", \.end, morning, "Time of day at which the night ends."),
      Field(
        "spread", \.spread, .time(.zero, .hours(3)),
        "Standard deviation over phones of the time by which a night begins and ends earlier or "
          + "later."),
    ]
  }

  private static var sleep: [Field<NightHabits>] {
    [
      Field(
        "sleepUntil", \.sleepUntil, morning,
        "Time of day until which sessions are rare, from midnight on."),
      Field(
        "sessionsSlept", \.sessionsSlept, .share,
        "Share of the sessions from midnight to 'sleepUntil' that do not take place."),
    ]
  }
}
