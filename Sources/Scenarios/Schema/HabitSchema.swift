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
    ]
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
