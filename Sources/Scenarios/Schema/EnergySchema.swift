extension ProfileSchema {
  nonisolated(unsafe) static let energy = ObjectShape<Named<EnergyProfile>>(
    fields: [
      Field("name", \.name, .name, "Name of the profile; in a file, the file's name."),
      Field("description", \.description, .sentence, "Description of the profile."),
    ] + battery + parts
  ).bound(to: Shipped.energy)

  /// All keys by profile. Those that the profile writes have its evidence, the others that of its
  /// base.
  nonisolated(unsafe) static let androidEnergy = {
    let android2022 = energy.bound(to: Shipped.androidEnergy)
    return [
      "android2022": android2022, "android2017": android2022.bound(to: Shipped.androidEnergy2017),
    ]
  }()

  private static var milliwatts: Shape<Double> { .number(0...100_000) }
  private static var millijoules: Shape<Double> { .number(0...1_000_000) }

  private static var battery: [Field<Named<EnergyProfile>>] {
    [
      Field(
        "batteryWattHours", \.value.batteryWattHours, .number(0.1...1_000),
        "Capacity of a full battery."),
      Field(
        "battery", \.value.battery, BatterySchema.profile,
        "Charger and charge thresholds (BT1)."),
      Field(
        "idleMilliwatts", \.value.idleMilliwatts, milliwatts,
        "Power of an idle phone that is connected, with its screen off."),
      Field(
        "backgroundMilliwatts", \.value.backgroundMilliwatts, milliwatts,
        "Additional power of other apps and services by day, screen off."),
      Field(
        "screenMilliwatts", \.value.screenMilliwatts, milliwatts,
        "Additional power with the screen on, for reading, feeds and video."),
      Field(
        "demandingMilliwatts", \.value.demandingMilliwatts, milliwatts,
        "Additional power with the screen on, in games and the camera (BT8)."),
      Field(
        "searchMilliwatts", \.value.searchMilliwatts, milliwatts,
        "Additional power where the cellular signal is weak (BT9)."),
    ]
  }

  private static var parts: [Field<Named<EnergyProfile>>] {
    [
      Field(
        "satelliteMilliwatts", \.value.satelliteMilliwatts, milliwatts,
        "Power of location at accuracies from best to 10 m (AC1)."),
      Field(
        "coarseMilliwatts", \.value.coarseMilliwatts, milliwatts,
        "Power of location at accuracies of 1 km and worse, always on."),
      Field(
        "callbacksMilliwatts", \.value.callbacksMilliwatts, milliwatts,
        "Power of an app with one location callback per second."),
      Field(
        "filteredCallbacksMilliwatts", \.value.filteredCallbacksMilliwatts, milliwatts,
        "Power of an app with location callbacks and a distance filter."),
      Field(
        "motionMilliwatts", \.value.motionMilliwatts, milliwatts,
        "Power of the motion coprocessor."),
      Field(
        "wifiScanMillijoules", \.value.wifiScanMillijoules, millijoules,
        "Energy of a Wi-Fi scan."),
      Field(
        "wakeMillijoules", \.value.wakeMillijoules, millijoules,
        "Energy of a wake from suspension."),
      Field(
        "fixMillijoules", \.value.fixMillijoules, millijoules,
        "Energy of storing and encoding a fix (BT11)."),
      Field(
        "hundredMeterScanSeconds", \.value.hundredMeterScanSeconds, .number(0.1...86_400),
        "Time between two Wi-Fi scans at 100 m accuracy."),
      Field(
        "hundredMeterSatelliteShare", \.value.hundredMeterSatelliteShare, .share,
        "Share of the time with satellites on at 100 m accuracy."),
    ] + radios
  }

  private static var radios: [Field<Named<EnergyProfile>>] {
    [
      Field("connection", \.value.connection, connection, "Cost of a new connection (BT11)."),
      Field(
        "weakSignalFactor", \.value.weakSignalFactor, .number(1...100),
        "Factor on the times of promotion and sending where the cellular signal is weak (BT9)."),
      Field(
        "hasNewRadio", \.value.hasNewRadio, .flag, "Whether the phone has a 5G radio (BT10)."),
      Field("cellular", \.value.cellular, radio, "Sending over LTE."),
      Field("newRadio", \.value.newRadio, radio, "Power and times of sending over 5G (BT10)."),
      Field("wifi", \.value.wifi, radio, "Sending over Wi-Fi."),
    ]
  }

  private static var connection: ObjectShape<ConnectionProfile> {
    ObjectShape(fields: [
      Field("millijoules", \.millijoules, millijoules, "Processor's energy for a new connection."),
      Field(
        "seconds", \.seconds, .number(0...60), "Time for which the handshakes occupy the radio."),
      Field(
        "keptSeconds", \.keptSeconds, .number(0...86_400),
        "Time without traffic after which a connection is closed."),
    ])
  }

  private static var radio: ObjectShape<RadioProfile> {
    let seconds = Shape<Double>.number(0...3_600)
    return ObjectShape(fields: [
      Field("promotionSeconds", \.promotionSeconds, seconds, "Time from idle to connected."),
      Field(
        "promotionMilliwatts", \.promotionMilliwatts, milliwatts,
        "Power while the radio connects."),
      Field("tailSeconds", \.tailSeconds, seconds, "Time from the last byte to idle."),
      Field("tailMilliwatts", \.tailMilliwatts, milliwatts, "Power from the last byte to idle."),
      Field("baseMilliwatts", \.baseMilliwatts, milliwatts, "Power while sending, at any rate."),
      Field(
        "perMegabitUpMilliwatts", \.perMegabitUpMilliwatts, milliwatts,
        "Additional power per Mbit/s of upload rate."),
      Field("megabitsPerSecondUp", \.megabitsPerSecondUp, .number(0.001...100_000), "Upload rate."),
      Field("sendMillijoules", \.sendMillijoules, millijoules, "Additional energy per send."),
    ])
  }
}
