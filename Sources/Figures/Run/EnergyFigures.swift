package import Core

package struct EnergyFigures: Equatable, Sendable, Codable {
  @Nullable package var profile: String?
  /// The joules of the whole fleet by component, idling and screens included.
  package var joules: [String: Double] = [:]
  /// The cost of tracking, as the fleet's mean; null without phones or duration.
  @Nullable package var perPhoneDay: PhoneDay?
  /// The energy of each cohort, in the scenario's order; null if not counted.
  @Nullable package var cohorts: [Cohort]?
  /// Each cohort's batteries, in the scenario's order; null if not counted.
  @Nullable package var batteries: [BatteryFigures]?

  package init() {}

  /// The cost of tracking a phone for a day, without its idling and screen.
  package struct PhoneDay: Equatable, Sendable, Codable {
    package var joules = 0.0
    /// The joules as a percentage of a full battery.
    package var percentOfBattery = 0.0
    /// The app's share, 0 to 1, on the phone's battery screen: tracking, and the display while the
    /// app is in use.
    package var screenShare = 0.0
    package init() {}
  }

  package struct Cohort: Equatable, Sendable, Codable {
    package var name = ""
    package var policy = ""
    package var profile = ""
    package var phones = 0
    package var joules: [String: Double] = [:]
    /// The cost of tracking, as the cohort's mean; null without phones or duration.
    @Nullable package var perPhoneDay: PhoneDay?
    package init() {}
  }

  package var batteryPercentPerDay: Double? { perPhoneDay?.percentOfBattery }
}
