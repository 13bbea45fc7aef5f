extension ProfileSchema {
  nonisolated(unsafe) static let energy = ObjectShape<Named<EnergyProfile>>(
    fields: [
      Field("name", \.name, .name, "How cohorts refer to this profile; a file's own name."),
      Field("description", \.description, .sentence, "What the profile stands for."),
    ] + battery + parts
  ).bound(to: Shipped.energy)

  private static var milliwatts: Shape<Double> { .number(0...100_000) }
  private static var millijoules: Shape<Double> { .number(0...1_000_000) }

  private static var battery: [Field<Named<EnergyProfile>>] {
    [
      Field("batteryWattHours", \.value.batteryWattHours, .number(0.1...1_000), "A full battery."),
      Field(
        "battery", \.value.battery, BatterySchema.profile,
        "Its charger, and at which charge what happens (BT1)."),
      Field(
        "idleMilliwatts", \.value.idleMilliwatts, milliwatts,
        "Nobody uses it: connected, screen off."),
      Field(
        "backgroundMilliwatts", \.value.backgroundMilliwatts, milliwatts,
        "Other apps and services by day, the screen being off, on top of that."),
      Field(
        "screenMilliwatts", \.value.screenMilliwatts, milliwatts,
        "Screen on, whatever app is used."),
    ]
  }

  private static var parts: [Field<Named<EnergyProfile>>] {
    [
      Field("satelliteMilliwatts", \.value.satelliteMilliwatts, milliwatts, "Best to 10 m (AC1)."),
      Field("coarseMilliwatts", \.value.coarseMilliwatts, milliwatts, "1 km and worse, kept on."),
      Field(
        "callbacksMilliwatts", \.value.callbacksMilliwatts, milliwatts,
        "An app that hears a callback a second."),
      Field(
        "filteredCallbacksMilliwatts", \.value.filteredCallbacksMilliwatts, milliwatts,
        "The same behind a distance filter."),
      Field("motionMilliwatts", \.value.motionMilliwatts, milliwatts, "The motion coprocessor."),
      Field("wifiScanMillijoules", \.value.wifiScanMillijoules, millijoules, "A Wi-Fi scan."),
      Field("wakeMillijoules", \.value.wakeMillijoules, millijoules, "A wake from suspension."),
      Field(
        "hundredMeterScanSeconds", \.value.hundredMeterScanSeconds, .number(0.1...86_400),
        "Between two Wi-Fi scans of the 100 m class."),
      Field(
        "hundredMeterSatelliteShare", \.value.hundredMeterSatelliteShare, .share,
        "Of the time, satellites in the 100 m class."),
      Field("cellular", \.value.cellular, radio, "A send on LTE."),
      Field("wifi", \.value.wifi, radio, "A send on Wi-Fi."),
    ]
  }

  private static var radio: ObjectShape<RadioProfile> {
    let seconds = Shape<Double>.number(0...3_600)
    return ObjectShape(fields: [
      Field("promotionSeconds", \.promotionSeconds, seconds, "From idle to connected."),
      Field("promotionMilliwatts", \.promotionMilliwatts, milliwatts, "Meanwhile."),
      Field("tailSeconds", \.tailSeconds, seconds, "From the last byte to idle."),
      Field("tailMilliwatts", \.tailMilliwatts, milliwatts, "Meanwhile."),
      Field("baseMilliwatts", \.baseMilliwatts, milliwatts, "While sending, at any rate."),
      Field(
        "perMegabitUpMilliwatts", \.perMegabitUpMilliwatts, milliwatts, "For each Mbit/s more."),
      Field("megabitsPerSecondUp", \.megabitsPerSecondUp, .number(0.001...100_000), "The rate."),
      Field("sendMillijoules", \.sendMillijoules, millijoules, "Each send beside all that."),
    ])
  }
}
