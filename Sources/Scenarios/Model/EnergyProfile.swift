/// What a phone's parts cost (rule book section 3), read from
/// `scenarios/profiles/energy/NAME.yaml`.
///
/// Powers in milliwatts, energies in millijoules: whole microjoules come of them.
package struct EnergyProfile: Equatable, Sendable, BitwiseCopyable {
  /// Is the energy of a full battery, in watt-hours.
  package var batteryWattHours: Double
  /// Says how the battery is charged, and what the system does at which charge.
  package var battery: BatteryProfile
  /// Is the power of a phone that nobody uses: connected, screen off.
  package var idleMilliwatts: Double
  /// Is what other apps and services take all day on top of that, the screen being off, in the
  /// hours in which the owner is awake.
  package var backgroundMilliwatts: Double
  /// Screen on while the app is used.
  package var screenMilliwatts: Double
  /// Satellites: best to 10 m.
  package var satelliteMilliwatts: Double
  /// An accuracy of 1 km or worse, kept on.
  package var coarseMilliwatts: Double
  /// An app that runs and hears a callback a second; with a distance filter; motion coprocessor.
  package var callbacksMilliwatts: Double
  /// Is the power of an app that runs and gets its callbacks behind a distance filter, in
  /// milliwatts.
  package var filteredCallbacksMilliwatts: Double
  /// Is the power of the motion coprocessor while activities are asked for, in milliwatts.
  package var motionMilliwatts: Double
  /// Is the energy of one Wi-Fi scan, in millijoules.
  package var wifiScanMillijoules: Double
  /// Is the energy of one wake from suspension, in millijoules.
  package var wakeMillijoules: Double
  /// The 100 m class: a Wi-Fi scan an update, one every so many seconds, and satellites for this
  /// share of the time.
  package var hundredMeterScanSeconds: Double
  /// Is the share of the time in which the 100 m class uses the satellites, 0 ... 1.
  package var hundredMeterSatelliteShare: Double
  /// Holds what a send costs over the cellular network.
  package var cellular: RadioProfile
  /// Holds what a send costs over Wi-Fi.
  package var wifi: RadioProfile
}

/// A radio's cost of one send: promotion, transfer, tail. Sends within a tail share it.
package struct RadioProfile: Equatable, Sendable, BitwiseCopyable {
  /// Is the time from idle to connected, in seconds.
  package var promotionSeconds: Double
  /// Is the power during the promotion, in milliwatts.
  package var promotionMilliwatts: Double
  /// Is the time from the last byte until the radio is idle again, in seconds.
  package var tailSeconds: Double
  /// Is the power during the tail, in milliwatts.
  package var tailMilliwatts: Double
  /// P = base + perMegabit · Mbit/s upwards.
  package var baseMilliwatts: Double
  /// Is the power that each Mbit/s of the upload rate adds to `baseMilliwatts`, in milliwatts.
  package var perMegabitUpMilliwatts: Double
  /// Is the rate of an upload, in Mbit/s.
  package var megabitsPerSecondUp: Double
  /// What each send costs beside all that: what a measured total of a small send leaves over.
  package var sendMillijoules: Double
}
