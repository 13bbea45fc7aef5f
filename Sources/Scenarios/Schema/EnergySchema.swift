extension ProfileSchema {
  /// Made once, as `ScenarioSchema.scenario` is.
  nonisolated(unsafe) static let energy = ObjectShape<Named<EnergyProfile>>(
    fields: [
      Field("name", \.name, .name, "How cohorts refer to this profile; a file's own name."),
      Field("description", \.description, .sentence, "What the profile stands for."),
    ] + battery + parts)

  private static var milliwatts: Shape<Double> { .number(0...100_000) }
  private static var millijoules: Shape<Double> { .number(0...1_000_000) }

  private static var battery: [Field<Named<EnergyProfile>>] {
    [
      Field(
        "batteryWattHours", \.value.batteryWattHours, .number(0.1...1_000), "A full battery.",
        .excerpt(
          5, 18, "9to5mac: 12.41 Wh (iPhone 13) among 9.57 to 17.10; iPhone 7: 7.45 Wh from memory")
      ),
      Field(
        "battery", \.value.battery, BatterySchema.profile,
        "Its charger, and at which charge what happens (BT1)."),
      Field(
        "idleMilliwatts", \.value.idleMilliwatts, milliwatts,
        "Nobody uses it: connected, screen off.",
        .assumed(10, 165, "less than Apple's audio playback: 12.41 Wh in 75 h, CNET 2021")),
      Field(
        "backgroundMilliwatts", \.value.backgroundMilliwatts, milliwatts,
        "Other apps and services by day, the screen being off, on top of that.",
        .assumed(10, 200, "no source")),
      Field(
        "screenMilliwatts", \.value.screenMilliwatts, milliwatts,
        "Screen on, whatever app is used.",
        .derived(
          500, 1_500, "CNET 2021: 12.41 Wh stream 15 h; pcper.com 2016: 7.45 Wh browse 7.6 h")),
    ]
  }

  private static var parts: [Field<Named<EnergyProfile>>] {
    [
      Field(
        "satelliteMilliwatts", \.value.satelliteMilliwatts, milliwatts, "Best to 10 m (AC1).",
        .excerpt(80, 450, "Paek, MobiSys 2010: 370 mW; dual-band: Karki 2019, arXiv 1910.13041")),
      Field(
        "coarseMilliwatts", \.value.coarseMilliwatts, milliwatts, "1 km and worse, kept on.",
        .fitted(10, 80, "rule book 3 has 15 to 20 mW; set for C4")),
      Field(
        "callbacksMilliwatts", \.value.callbacksMilliwatts, milliwatts,
        "An app that hears a callback a second.", .assumed(20, 100, "rule book 3")),
      Field(
        "filteredCallbacksMilliwatts", \.value.filteredCallbacksMilliwatts, milliwatts,
        "The same behind a distance filter.",
        .fitted(10, 50, "rule book 3 has 26 to 33 mW; set for C4")),
      Field(
        "motionMilliwatts", \.value.motionMilliwatts, milliwatts, "The motion coprocessor.",
        .recalled(0.1, 5, "rule book 3")),
      Field(
        "wifiScanMillijoules", \.value.wifiScanMillijoules, millijoules, "A Wi-Fi scan.",
        .assumed(100, 1_000, "rule book 3")),
      Field(
        "wakeMillijoules", \.value.wakeMillijoules, millijoules, "A wake from suspension.",
        .assumed(300, 3_000, "rule book 3")),
      Field(
        "hundredMeterScanSeconds", \.value.hundredMeterScanSeconds, .number(0.1...86_400),
        "Between two Wi-Fi scans of the 100 m class.",
        .assumed(5, 30, "rule book 3: a Wi-Fi scan an update")),
      Field(
        "hundredMeterSatelliteShare", \.value.hundredMeterSatelliteShare, .share,
        "Of the time, satellites in the 100 m class.", .assumed(0, 0.6, "rule book 3: p = 0.3")),
      Field("cellular", \.value.cellular, radio, "A send on LTE."),
      Field("wifi", \.value.wifi, radio, "A send on Wi-Fi."),
    ]
  }

  private static var radio: ObjectShape<RadioProfile> {
    let seconds = Shape<Double>.number(0...3_600)
    let source = "Huang et al., MobiSys 2012"
    return ObjectShape(fields: [
      Field(
        "promotionSeconds", \.promotionSeconds, seconds, "From idle to connected.",
        .recalled(0.05, 0.5, source)),
      Field(
        "promotionMilliwatts", \.promotionMilliwatts, milliwatts, "Meanwhile.",
        .recalled(60, 2_000, source)),
      Field(
        "tailSeconds", \.tailSeconds, seconds, "From the last byte to idle.",
        .recalled(0.1, 15, "\(source); operators: 10 to 12 s")),
      Field(
        "tailMilliwatts", \.tailMilliwatts, milliwatts, "Meanwhile.",
        .recalled(60, 1_500, "\(source); LTE of 2022: assumed")),
      Field(
        "baseMilliwatts", \.baseMilliwatts, milliwatts, "While sending, at any rate.",
        .recalled(100, 2_000, "\(source); LTE of 2022: 0.7 of it, assumed")),
      Field(
        "perMegabitUpMilliwatts", \.perMegabitUpMilliwatts, milliwatts, "For each Mbit/s more.",
        .recalled(100, 600, "\(source); LTE of 2022: 0.7 of it, assumed")),
      Field(
        "megabitsPerSecondUp", \.megabitsPerSecondUp, .number(0.001...100_000), "The rate.",
        .assumed(1, 50, "no source")),
      Field(
        "sendMillijoules", \.sendMillijoules, millijoules, "Each send beside all that.",
        .fitted(0, 600, "what the measured total of a small send leaves over; rule book 3")),
    ])
  }
}
