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
    package var joules: Double
    /// Of a full battery.
    package var percentOfBattery: Double
    /// Share of all that the phone used which a battery screen would show beside the app, 0 to 1:
    /// what tracking costs, and the screen while the app is looked at.
    package var screenShare: Double

    /// Makes the costs of one phone and day.
    package init(joules: Double, percentOfBattery: Double, screenShare: Double) {
      self.joules = joules
      self.percentOfBattery = percentOfBattery
      self.screenShare = screenShare
    }
  }

  /// Holds what one cohort's phones spent.
  package struct Cohort: Equatable, Sendable, Codable {
    /// Is the cohort's name in the scenario.
    package var name: String
    /// Names the policy of the cohort's tracker.
    package var policy: String
    /// Names the cohort's energy profile.
    package var profile: String
    /// Counts the cohort's phones.
    package var phones: Int
    /// Maps each component to the joules of the whole cohort.
    package var joules: [String: Double]
    /// Is what tracking costs one of its phones a day; null without phones or duration.
    @Nullable package var perPhoneDay: PhoneDay?

    /// Makes a cohort's row from its names, sums and costs.
    package init(
      name: String, policy: String, profile: String, phones: Int, joules: [String: Double],
      perPhoneDay: PhoneDay?
    ) {
      self.name = name
      self.policy = policy
      self.profile = profile
      self.phones = phones
      self.joules = joules
      self.perPhoneDay = perPhoneDay
    }
  }

  /// Is the energy of tracking a phone and day, in percent of a battery; nil: not counted.
  package var batteryPercentPerDay: Double? { perPhoneDay?.percentOfBattery }
}
