/// What a phone's parts cost (rule book section 3), read from
/// `scenarios/profiles/energy/NAME.yaml`.
///
/// Powers in milliwatts, energies in millijoules: whole microjoules come of them.
package struct EnergyProfile: Equatable, Sendable, BitwiseCopyable {
  package var batteryWattHours = 0.0
  package var battery = BatteryProfile()
  package var idleMilliwatts = 0.0
  /// What other apps and services take all day on top of that, the screen being off, in the
  /// hours in which the owner is awake.
  package var backgroundMilliwatts = 0.0
  package var screenMilliwatts = 0.0
  package var satelliteMilliwatts = 0.0
  package var coarseMilliwatts = 0.0
  package var callbacksMilliwatts = 0.0
  /// The power of an app that runs and gets its callbacks behind a distance filter, in
  /// milliwatts.
  package var filteredCallbacksMilliwatts = 0.0
  package var motionMilliwatts = 0.0
  package var wifiScanMillijoules = 0.0
  package var wakeMillijoules = 0.0
  /// The 100 m class: a Wi-Fi scan an update, one every so many seconds, and satellites for this
  /// share of the time.
  package var hundredMeterScanSeconds = 0.0
  package var hundredMeterSatelliteShare = 0.0
  package var cellular = RadioProfile()
  package var wifi = RadioProfile()
}

/// A radio's cost of one send: promotion, transfer, tail. Sends within a tail share it.
package struct RadioProfile: Equatable, Sendable, BitwiseCopyable {
  package var promotionSeconds = 0.0
  package var promotionMilliwatts = 0.0
  package var tailSeconds = 0.0
  package var tailMilliwatts = 0.0
  package var baseMilliwatts = 0.0
  package var perMegabitUpMilliwatts = 0.0
  package var megabitsPerSecondUp = 0.0
  package var sendMillijoules = 0.0
}
