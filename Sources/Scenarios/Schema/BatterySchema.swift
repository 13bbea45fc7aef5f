internal import SimulationCore

/// The keys of batteries: of the phone in an energy profile, of its owner under `fleet.phone`.
enum BatterySchema {
  /// The keys under `battery` in an energy profile.
  static var profile: ObjectShape<BatteryProfile> {
    ObjectShape(
      fields: [
        Field(
          "chargerMilliwatts", \.chargerMilliwatts, .number(1...200_000),
          "What a charger puts in, the mean from empty to full.",
          .excerpt(
            3_000, 15_000, "backmarket.co.uk: iPhone 13 in 2 h at 5 W; CNET 2021: half in 30 min")),
        Field(
          "reserve", \.reserve, .share, "What an empty phone keeps back (BT3).",
          .assumed(0.005, 0.015, "of the model: keeps one upload from overdrawing the battery")),
        Field(
          "bootsAt", \.bootsAt, .share, "Charge at which an empty phone starts (BT4).",
          .assumed(0.02, 0.05, "no source")),
        Field(
          "warnsAt", \.warnsAt, .share, "Charge at which Low Power Mode is offered (BT2).",
          .excerpt(0.1, 0.2, "apple.fandom.com Low_Power_Mode; gadgethacks 2022: at 20 and 10 %")),
        Field(
          "lowPowerEndsAt", \.lowPowerEndsAt, .share, "Charge at which it ends (BT2).",
          .excerpt(0.8, 1, "Apple, iPhone User Guide; gadgethacks 2022: at 80 %")),
        Field(
          "lowPowerSaves", \.lowPowerSaves, .share,
          "Part of the use by screen and other apps that it saves.",
          .excerpt(0.2, 0.5, "lifewire: 33 to 47 % of a phone's use")),
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

  /// The keys under `fleet.phone.battery`.
  static var habits: ObjectShape<BatteryHabits> {
    ObjectShape(fields: chargers + use)
  }

  private static var chargers: [Field<BatteryHabits>] {
    let survey = "NPD for OnePlus 2022, 1,000 US owners"
    return [
      Field(
        "healthLeast", \.healthLeast, .number(0.1...1),
        "Least capacity of a battery, of what it had when new; spread evenly up to 100 %.",
        .excerpt(0.7, 1, "Apple (macrumors 2024-02-20): 80 % after 500 or 1,000 cycles")),
      Field(
        "chargeLeast", \.chargeLeast, .number(0.05...1),
        "Least charge when a phone's history begins; spread evenly up to full.",
        .assumed(0.1, 1, "no source; a warm start of a day forgets it")),
      Field(
        "chargesAtWork", \.chargesAtWork, .share, "Owners who plug in at work (BT1).",
        .excerpt(0.1, 0.5, "\(survey): 32 % charge at work")),
      Field(
        "chargesInCar", \.chargesInCar, .share, "Owners who plug in in their car (BT1).",
        .excerpt(0.1, 0.5, "\(survey): 45 % charge in the car or on public transit")),
      Field(
        "chargesWhenLow", \.chargesWhenLow, .share,
        "Stays at home or at work at which a low phone is plugged in (BT1).",
        .excerpt(
          0.5, 1, "Oppo 2021, 1,556 in Spain: half avoid 20 %, over a third wait for it")),
    ]
  }

  private static var use: [Field<BatteryHabits>] {
    [
      Field(
        "lowPowerWhenLow", \.lowPowerWhenLow, .share,
        "Warnings at 20 % that the owner answers with Low Power Mode (BT2).",
        .excerpt(0.15, 0.6, "Oppo 2021, 1,556 in Spain: 21 % use the saving mode")),
      Field(
        "screenTime", \.screenTime, .time(.zero, .hours(16)),
        "Time a day with the screen on, all apps; the median over owners.",
        .excerpt(
          .minutes(75), .hours(5), "Harmony 2024: mean 4 h 37 min; SolitaireD 2021: 5 h 42 min")),
      Field(
        "screenTimeSigma", \.screenTimeSigma, .number(0...2),
        "Spread of that time over owners, as the deviation of its logarithm.",
        .derived(0.3, 1, "SolitaireD 2021, 667 iPhones: mean 5 h 42 min, a fifth 8 h and more")),
      Field(
        "unlocksPerDay", \.unlocksPerDay, .number(1...1_000),
        "Times a day that an owner unlocks the phone (BT5).",
        .excerpt(30, 150, "SolitaireD 2021, 667 iPhones: 99 pickups")),
      Field(
        "restartsPerYear", \.restartsPerYear, .number(0...1_000),
        "Restarts of a phone besides those after it ran empty (BU1).",
        .assumed(0, 50, "no source; updates of the system alone make about a dozen")),
    ]
  }
}
