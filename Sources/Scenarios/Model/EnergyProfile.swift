/// Powers in milliwatts and energies in millijoules, as in `scenarios/profiles/energy/NAME.yaml`.
package struct EnergyProfile: Equatable, Sendable, BitwiseCopyable {
  package var batteryWattHours = 0.0
  package var battery = BatteryProfile()
  package var idleMilliwatts = 0.0
  /// The additional power of other apps with the screen off, while the owner is awake.
  package var backgroundMilliwatts = 0.0
  /// The additional power with the screen on, for reading, feeds and video.
  package var screenMilliwatts = 0.0
  /// The additional power with the screen on, in games and the camera.
  package var demandingMilliwatts = 0.0
  /// The additional power of a phone that searches for a better cell.
  package var searchMilliwatts = 0.0
  package var satelliteMilliwatts = 0.0
  package var coarseMilliwatts = 0.0
  package var callbacksMilliwatts = 0.0
  package var filteredCallbacksMilliwatts = 0.0
  package var motionMilliwatts = 0.0
  package var wifiScanMillijoules = 0.0
  package var wakeMillijoules = 0.0
  /// The energy of storing and encoding a fix.
  package var fixMillijoules = 0.0
  /// The interval of Wi-Fi scans at a desired accuracy of 100 m.
  package var hundredMeterScanSeconds = 0.0
  package var hundredMeterSatelliteShare = 0.0
  package var connection = ConnectionProfile()
  /// The factor on the times of promotion and sending where the cellular signal is weak.
  package var weakSignalFactor = 0.0
  package var hasNewRadio = false
  package var cellular = RadioProfile()
  package var newRadio = RadioProfile()
  package var wifi = RadioProfile()
}

/// The cost of a new connection: the processor's energy, and the time for which the handshakes keep
/// the radio sending.
package struct ConnectionProfile: Equatable, Sendable, BitwiseCopyable {
  package var millijoules = 0.0
  package var seconds = 0.0
  /// The time for which a connection without traffic stays open.
  package var keptSeconds = 0.0
}

/// A radio's cost of a send (promotion, transfer, tail). Sends within one tail share the tail.
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
