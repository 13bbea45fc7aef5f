/// What a phone's parts cost (rule book section 3), read from
/// `scenarios/profiles/energy/NAME.yaml`.
///
/// Powers in milliwatts, energies in millijoules: whole microjoules come of them.
package struct EnergyProfile: Equatable, Sendable, BitwiseCopyable {
  /// The energy of a full battery, in watt-hours.
  package var batteryWattHours = 0.0
  /// How the battery is charged, and what the system does at which charge.
  package var battery = BatteryProfile()
  /// The power of a phone that nobody uses: connected, screen off.
  package var idleMilliwatts = 0.0
  /// What other apps and services take all day on top of that, the screen being off, in the
  /// hours in which the owner is awake.
  package var backgroundMilliwatts = 0.0
  /// Screen on while the app is used.
  package var screenMilliwatts = 0.0
  /// Satellites: best to 10 m.
  package var satelliteMilliwatts = 0.0
  /// An accuracy of 1 km or worse, kept on.
  package var coarseMilliwatts = 0.0
  /// An app that runs and hears a callback a second; with a distance filter; motion coprocessor.
  package var callbacksMilliwatts = 0.0
  /// The power of an app that runs and gets its callbacks behind a distance filter, in
  /// milliwatts.
  package var filteredCallbacksMilliwatts = 0.0
  /// The power of the motion coprocessor while activities are asked for, in milliwatts.
  package var motionMilliwatts = 0.0
  /// The energy of one Wi-Fi scan, in millijoules.
  package var wifiScanMillijoules = 0.0
  /// The energy of one wake from suspension, in millijoules.
  package var wakeMillijoules = 0.0
  /// The 100 m class: a Wi-Fi scan an update, one every so many seconds, and satellites for this
  /// share of the time.
  package var hundredMeterScanSeconds = 0.0
  /// The share of the time in which the 100 m class uses the satellites, 0 ... 1.
  package var hundredMeterSatelliteShare = 0.0
  /// What a send costs over the cellular network.
  package var cellular = RadioProfile()
  /// What a send costs over Wi-Fi.
  package var wifi = RadioProfile()
}

/// A radio's cost of one send: promotion, transfer, tail. Sends within a tail share it.
package struct RadioProfile: Equatable, Sendable, BitwiseCopyable {
  /// The time from idle to connected, in seconds.
  package var promotionSeconds = 0.0
  /// The power during the promotion, in milliwatts.
  package var promotionMilliwatts = 0.0
  /// The time from the last byte until the radio is idle again, in seconds.
  package var tailSeconds = 0.0
  /// The power during the tail, in milliwatts.
  package var tailMilliwatts = 0.0
  /// P = base + perMegabit · Mbit/s upwards.
  package var baseMilliwatts = 0.0
  /// The power that each Mbit/s of the upload rate adds to `baseMilliwatts`, in milliwatts.
  package var perMegabitUpMilliwatts = 0.0
  /// The rate of an upload, in Mbit/s.
  package var megabitsPerSecondUp = 0.0
  /// What each send costs beside all that: what a measured total of a small send leaves over.
  package var sendMillijoules = 0.0
}
