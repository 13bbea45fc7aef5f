internal import Core

enum BatterySchema {
  static var profile: ObjectShape<BatteryProfile> {
    ObjectShape(
      fields: [
        Field(
          "chargerMilliwatts", \.chargerMilliwatts, .number(1...200_000),
          "Mean charging power from empty to full."),
        Field("reserve", \.reserve, .share, "Charge that remains in an empty phone (BT3)."),
        Field("bootsAt", \.bootsAt, .share, "Charge at which an empty phone starts (BT4)."),
        Field("warnsAt", \.warnsAt, .share, "Charge at which Low Power Mode is offered (BT2)."),
        Field(
          "lowPowerEndsAt", \.lowPowerEndsAt, .share, "Charge at which Low Power Mode ends (BT2)."),
        Field(
          "lowPowerSaves", \.lowPowerSaves, .share,
          "Share of the power of screen and other apps that Low Power Mode saves."),
      ],
      check: { profile, origin, reading in
        if profile.reserve >= profile.bootsAt || profile.bootsAt >= profile.warnsAt
          || profile.warnsAt >= profile.lowPowerEndsAt
        {
          reading.diagnose(
            origin,
            "'reserve', 'bootsAt', 'warnsAt' and 'lowPowerEndsAt' must increase in this order.")
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
        "Minimum battery health as a share of the new capacity; health is uniform up to 100 %."),
      Field(
        "chargeLeast", \.chargeLeast, .number(0.05...1),
        "Minimum charge at the start of a phone's history; the charge is uniform up to full."),
      Field("chargesAtWork", \.chargesAtWork, .share, "Owners who charge at work (BT1)."),
      Field("chargesInCar", \.chargesInCar, .share, "Owners who charge in the car (BT1)."),
      Field(
        "chargesWhenLow", \.chargesWhenLow, .share,
        "Stays at home or work at which a phone with a low battery is charged (BT1)."),
    ]
  }

  private static var use: [Field<BatteryHabits>] {
    [
      Field(
        "lowPowerWhenLow", \.lowPowerWhenLow, .share,
        "Warnings at 20 % after which the owner turns on Low Power Mode (BT2)."),
      Field(
        "adaptivePower", \.adaptivePower, .share,
        "Phones with Adaptive Power, which turn on Low Power Mode by themselves when the battery "
          + "is low (BT12)."),
      Field(
        "screenTime", \.screenTime, .time(.zero, .hours(16)),
        "Median screen time per day of all apps together."),
      Field(
        "screenTimeSigma", \.screenTimeSigma, .number(0...2),
        "Standard deviation of the natural logarithm of the screen time across owners."),
      Field(
        "demanding", \.demanding, .share,
        "Mean share of screen time in games and the camera (BT8)."),
      Field(
        "unlocksPerDay", \.unlocksPerDay, .number(1...1_000), "Unlocks per day (BT5)."),
      Field(
        "restartsPerYear", \.restartsPerYear, .number(0...1_000),
        "Restarts per year, without those after an empty battery (BU1)."),
    ]
  }
}
