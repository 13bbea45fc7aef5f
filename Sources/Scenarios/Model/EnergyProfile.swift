/// What a phone's parts cost (rule book section 3), read from
/// `scenarios/profiles/energy/NAME.yaml`.
///
/// Powers in milliwatts, energies in millijoules: whole microjoules come of them.
package struct EnergyProfile: Equatable, Sendable, BitwiseCopyable {
  package var batteryWattHours: Double
  /// Battery charges that a whole phone uses in a day: what a share on a battery screen is a share
  /// of (rule book section 3: 0.9, A).
  package var chargesPerDay: Double
  /// Connected, screen off.
  package var idleMilliwatts: Double
  /// Screen on while the app is used.
  package var screenMilliwatts: Double
  /// Satellites: best to 10 m.
  package var satelliteMilliwatts: Double
  /// An accuracy of 1 km or worse, kept on.
  package var coarseMilliwatts: Double
  /// An app that runs and hears a callback a second; with a distance filter; motion coprocessor.
  package var callbacksMilliwatts: Double
  package var filteredCallbacksMilliwatts: Double
  package var motionMilliwatts: Double
  package var wifiScanMillijoules: Double
  package var wakeMillijoules: Double
  /// The 100 m class: a Wi-Fi scan an update, one every so many seconds, and satellites for this
  /// share of the time.
  package var hundredMeterScanSeconds: Double
  package var hundredMeterSatelliteShare: Double
  package var cellular: RadioProfile
  package var wifi: RadioProfile
}

/// A radio's cost of one send: promotion, transfer, tail. Sends within a tail share it.
package struct RadioProfile: Equatable, Sendable, BitwiseCopyable {
  package var promotionSeconds: Double
  package var promotionMilliwatts: Double
  package var tailSeconds: Double
  package var tailMilliwatts: Double
  /// P = base + perMegabit · Mbit/s upwards.
  package var baseMilliwatts: Double
  package var perMegabitUpMilliwatts: Double
  package var megabitsPerSecondUp: Double
  /// What each send costs beside all that: what a measured total of a small send leaves over.
  package var sendMillijoules: Double
}
