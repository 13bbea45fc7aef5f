extension RunRecord {
  /// What the phones spent in the counted time.
  package struct Energy: Equatable, Sendable, Codable {
    /// Energy profiles of the fleet, by name.
    @Nullable package var profile: String?
    /// Component → joules of the whole fleet, the phones' own idling and screens included.
    package var joules: [String: Double] = [:]
    @Nullable package var perPhoneDay: PhoneDay?
    @Nullable package var cohorts: [Cohort]?
    package init() {}

    /// What tracking costs one phone in a day: neither its idling nor its screen.
    package struct PhoneDay: Equatable, Sendable, Codable {
      package var joules: Double
      /// Of a full battery.
      package var percentOfBattery: Double
      /// Share of the day's whole use that a battery screen would show beside the app, 0 to 1: what
      /// tracking costs, and the screen while the app is looked at.
      package var screenShare: Double

      package init(joules: Double, percentOfBattery: Double, screenShare: Double) {
        self.joules = joules
        self.percentOfBattery = percentOfBattery
        self.screenShare = screenShare
      }
    }

    package struct Cohort: Equatable, Sendable, Codable {
      package var name: String
      package var policy: String
      package var profile: String
      package var phones: Int
      package var joules: [String: Double]
      @Nullable package var perPhoneDay: PhoneDay?

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

    package var joulesPerPhoneDay: Double? { perPhoneDay?.joules }
    package var batteryPercentPerDay: Double? { perPhoneDay?.percentOfBattery }
  }
}
