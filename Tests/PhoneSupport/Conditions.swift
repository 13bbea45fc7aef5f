package import Phone
package import Scenarios

/// Holds the conditions for the pushes of a `PhoneLife`: all gates are open, no push is held, and
/// runs have no penalty.
package struct PushWorld {
  package var request = PushSettings.standard.request
  package var limits: PhonePushSettings = {
    var limits = PushSettings.standard.phone
    limits.penaltyFactor = 1
    limits.holds = false
    return limits
  }()
  package var owner: PhoneMix = {
    var mix = PhoneMix.standard
    mix.lowPower = 0
    mix.chargesAtNight = 0
    mix.battery = .unused
    return mix
  }()
  package var energy = EnergyProfile.standard
}

extension BatteryHabits {
  /// A new battery that is full and never charged, in a phone that nobody uses.
  package static var unused: BatteryHabits {
    BatteryHabits(
      healthLeast: 1, chargeLeast: 1, chargesAtWork: 0, chargesInCar: 0, chargesWhenLow: 0,
      lowPowerWhenLow: 0, screenTime: .zero, screenTimeSigma: 0, unlocksPerDay: 100)
  }
}

extension ServiceRequest {
  /// Ten metres, no filter, no pause; ends in the background.
  package static var plain: ServiceRequest {
    var app = AppManifest.standard
    app.allowsBackgroundUpdates = false
    return ServiceRequest(.standard, app)
  }

  /// The same, and goes on in the background.
  package static var background: ServiceRequest { ServiceRequest(.standard, .standard) }
}
