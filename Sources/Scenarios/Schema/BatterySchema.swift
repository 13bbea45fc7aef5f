internal import Core

enum BatterySchema {
  static var profile: ObjectShape<BatteryProfile> {
    ObjectShape(
      fields: [
        Field(
          "chargerMilliwatts", \.chargerMilliwatts, .number(1...200_000),
          "What a charger puts in, the mean from empty to full."),
        Field("reserve", \.reserve, .share, "What an empty phone keeps back (BT3)."),
        Field("bootsAt", \.bootsAt, .share, "Charge at which an empty phone starts (BT4)."),
        Field("warnsAt", \.warnsAt, .share, "Charge at which Low Power Mode is offered (BT2)."),
        Field("lowPowerEndsAt", \.lowPowerEndsAt, .share, "Charge at which it ends (BT2)."),
        Field(
          "lowPowerSaves", \.lowPowerSaves, .share,
          "Part of the use by screen and other apps that it saves."),
      ],
      check: { profile, origin, reading in
        if profile.reserve >= profile.bootsAt || profile.bootsAt >= profile.warnsAt
          || profile.warnsAt >= profile.lowPowerEndsAt
        {
          reading.diagnose(
            origin, "'reserve', 'bootsAt', 'warnsAt' and 'lowPowerEndsAt' must rise.")
        }
      })
  }

  static var habits: ObjectShape<BatteryHabits> {
    ObjectShape(fields: chargers + use)
  }

  private static var chargers: [Field<BatteryHabits>] {
    [
      Field(
        "healthLeast", \.healthLeast, .number(0.1...1),
        "Least capacity of a battery, of what it had when new; spread evenly up to 100 %."),
      Field(
        "chargeLeast", \.chargeLeast, .number(0.05...1),
        "Least charge when a phone's history begins; spread evenly up to full."),
      Field("chargesAtWork", \.chargesAtWork, .share, "Owners who plug in at work (BT1)."),
      Field("chargesInCar", \.chargesInCar, .share, "Owners who plug in in their car (BT1)."),
      Field(
        "chargesWhenLow", \.chargesWhenLow, .share,
        "Stays at home or at work at which a low phone is plugged in (BT1)."),
    ]
  }

  private static var use: [Field<BatteryHabits>] {
    [
      Field(
        "lowPowerWhenLow", \.lowPowerWhenLow, .share,
        "Warnings at 20 % that the owner answers with Low Power Mode (BT2)."),
      Field(
        "screenTime", \.screenTime, .time(.zero, .hours(16)),
        "Time a day with the screen on, all apps; the median over owners."),
      Field(
        "screenTimeSigma", \.screenTimeSigma, .number(0...2),
        "Spread of that time over owners, as the deviation of its logarithm."),
      Field(
        "unlocksPerDay", \.unlocksPerDay, .number(1...1_000),
        "Times a day that an owner unlocks the phone (BT5)."),
      Field(
        "restartsPerYear", \.restartsPerYear, .number(0...1_000),
        "Restarts of a phone besides those after it ran empty (BU1)."),
    ]
  }
}
