import Core
package import Phone
package import Scenarios

/// Conditions for the pushes of a `PhoneLife`: all gates are open, no push is held, and runs have
/// no penalty.
package struct PushWorld {
  package var request = PushSettings.standard.request
  package var limits: PhonePushSettings = {
    var limits = PushSettings.standard.phone
    limits.penaltyFactor = 1
    limits.holds = false
    limits.alwaysOpen()
    return limits
  }()
  package var owner: PhoneMix = {
    var mix = PhoneMix.standard
    mix.lowPower = 0
    mix.chargesAtNight = 0
    mix.nights.spread = .zero
    mix.battery = .unused
    mix.memory = .none
    mix.updates = .none
    mix.reinstalls = .none
    mix.permission = .settled
    return mix
  }()
  package var energy = EnergyProfile.standard
  package var link = Link.wifi

  package init() {}
}

extension PhonePushSettings {
  /// SP6, SP9–SP12 have no effect.
  package mutating func alwaysOpen() {
    pendingLaunch = .zero
    closedAfterStart = .zero
    closedAfterOutage = .zero
    nightSlot = .zero
    unfinishedCost = 0
    unopenedHalfLife = .zero
  }
}

extension BatteryHabits {
  /// A new battery that is full and never charged, in an unused phone.
  package static var unused: BatteryHabits {
    var habits = PhoneMix.standard.battery
    habits.healthLeast = 1
    habits.chargeLeast = 1
    habits.chargesAtWork = 0
    habits.chargesInCar = 0
    habits.chargesWhenLow = 0
    habits.lowPowerWhenLow = 0
    habits.screenTime = .zero
    habits.screenTimeSigma = 0
    habits.unlocksPerDay = 100
    return habits
  }
}

extension PermissionHabits {
  /// The owner has answered all prompts permanently, and changes nothing.
  package static var settled: PermissionHabits {
    var habits = PermissionHabits.standard
    habits.secondPromptAhead = 0
    habits.allowOnce = 0
    habits.takenBack = 0
    habits.changesPerYear = 0
    return habits
  }
}

extension ServiceRequest {
  /// Ten metres, no filter, no pause; ends in the background.
  package static var plain: ServiceRequest {
    var app = AppManifest.standard
    app.allowsBackgroundUpdates = false
    return ServiceRequest(.standard, app)
  }

  /// The same, and continues in the background.
  package static var background: ServiceRequest { ServiceRequest(.standard, .standard) }
}
