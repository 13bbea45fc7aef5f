/// Holds what became of the batteries of one cohort's phones in the measured time.
package struct BatteryFigures: Equatable, Sendable, Codable {
  /// Is the cohort's name in the scenario.
  package var name = ""
  /// Names the policy of the cohort's tracker.
  package var policy = ""
  /// Counts the cohort's phones.
  package var phones = 0
  /// Is what a phone used in a day, in joules: tracker, screen, other apps and idling.
  package var joulesPerPhoneDay = 0.0
  /// Is what came from chargers in a day, in joules a phone.
  package var chargedPerPhoneDay = 0.0
  /// Is how long a new battery lasts at the mean use of phones that are on, in hours.
  package var hoursOnACharge = 0.0
  /// Is how often a phone ran empty in a day, as a mean over phones and days.
  package var ranEmptyPerPhoneDay = 0.0
  /// Is the share of phones that ran empty at least once, 0 to 1.
  package var ranEmpty = 0.0
  /// Is the time that phones which started full lived without a charger.
  package var hoursToEmpty = HoursToEmpty()
  /// Holds the charge of phones at the full hours of the day that the measured time has.
  package var charge: [HourlyCharge] = []

  /// Makes the figures of no phones.
  package init() {}

  /// Is the charge that phones show at one hour of the day, in percent.
  package struct HourlyCharge: Equatable, Sendable, Codable {
    /// Is the hour, 0 to 23.
    package var hour = 0
    /// Is the mean over phones and days.
    package var mean = 0.0
    /// Is the charge below which 5 % of phones are.
    package var p5 = 0.0
    /// Is the charge above which 5 % of phones are.
    package var p95 = 0.0
    /// Makes an hour at which batteries were empty.
    package init() {}
  }

  /// Is Kaplan and Meier's estimate of the hours from full to empty of unplugged phones; those
  /// that were charged before they were empty count until then.
  package struct HoursToEmpty: Equatable, Sendable, Codable {
    /// Counts the phones that left a charger full.
    package var discharges = 0
    /// Counts those of them that ran empty before they were charged.
    package var ranEmpty = 0
    /// Is the time after which 5 % are empty; null: too few stayed unplugged so long.
    @Nullable package var p5: Double?
    /// Is the time after which half are empty.
    @Nullable package var p50: Double?
    /// Is the time after which 95 % are empty.
    @Nullable package var p95: Double?
    /// Makes the estimate of no phones.
    package init() {}
  }
}

extension BatteryFigures {
  /// Holds the titles of `cells`, for the summary and the report.
  package static var head: [String] {
    [
      "cohort", "policy", "J used a day", "a new battery lasts", "ran empty a day",
      "half empty after", "charge at 8 h", "at 20 h",
    ]
  }

  /// Holds a cohort's row below `head`.
  package var cells: [String] {
    func hours(_ value: Double?) -> String { value.map { "\(Figure.plain($0)) h" } ?? "—" }
    func shown(at hour: Int) -> String {
      charge.first { $0.hour == hour }.map { "\(Figure.plain($0.mean.rounded())) %" } ?? "—"
    }
    return [
      name, policy, Figure.quantity(joulesPerPhoneDay), hours(hoursOnACharge.rounded()),
      Figure.percent(ranEmptyPerPhoneDay), hours(hoursToEmpty.p50), shown(at: 8), shown(at: 20),
    ]
  }
}
