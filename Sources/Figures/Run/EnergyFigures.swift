/// What the phones spent in the counted time.
package struct EnergyFigures: Equatable, Sendable, Codable {
  /// Energy profiles of the fleet, by name.
  @Nullable package var profile: String?
  /// Component → joules of the whole fleet, the phones' own idling and screens included.
  package var joules: [String: Double] = [:]
  /// Is what tracking costs a phone and day, as the fleet's mean; null without phones or
  /// duration.
  @Nullable package var perPhoneDay: PhoneDay?
  /// Holds the same for each cohort, in the scenario's order; null: no energy was counted.
  @Nullable package var cohorts: [Cohort]?
  /// Holds what became of each cohort's batteries, in the scenario's order; null: none was
  /// counted.
  @Nullable package var batteries: [BatteryFigures]?
  /// Makes a block in which nothing was spent.
  package init() {}

  /// What tracking costs one phone in a day: neither its idling nor its screen.
  package struct PhoneDay: Equatable, Sendable, Codable {
    /// Is the energy of tracking in joules.
    package var joules = 0.0
    /// Of a full battery.
    package var percentOfBattery = 0.0
    /// Share of all that the phone used which a battery screen would show beside the app, 0 to 1:
    /// what tracking costs, and the screen while the app is looked at.
    package var screenShare = 0.0
    /// Makes the costs of a phone that was not tracked.
    package init() {}
  }

  /// Holds what one cohort's phones spent.
  package struct Cohort: Equatable, Sendable, Codable {
    /// Is the cohort's name in the scenario.
    package var name = ""
    /// Names the policy of the cohort's tracker.
    package var policy = ""
    /// Names the cohort's energy profile.
    package var profile = ""
    /// Counts the cohort's phones.
    package var phones = 0
    /// Maps each component to the joules of the whole cohort.
    package var joules: [String: Double] = [:]
    /// Is what tracking costs one of its phones a day; null without phones or duration.
    @Nullable package var perPhoneDay: PhoneDay?
    /// Makes the row of a cohort without phones.
    package init() {}
  }

  /// Is the energy of tracking a phone and day, in percent of a battery; nil: not counted.
  package var batteryPercentPerDay: Double? { perPhoneDay?.percentOfBattery }
}
