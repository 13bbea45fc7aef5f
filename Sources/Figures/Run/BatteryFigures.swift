package import Core

package struct BatteryFigures: Equatable, Sendable, Codable {
  package var name = ""
  package var policy = ""
  package var phones = 0
  /// The energy of tracker, screen, other apps and idling, in joules per phone and day.
  package var joulesPerPhoneDay = 0.0
  package var chargedPerPhoneDay = 0.0
  /// The hours that a new battery lasts at the mean use of phones that are on.
  package var hoursOnACharge = 0.0
  package var ranEmptyPerPhoneDay = 0.0
  /// The share of phones that ran empty at least once, 0 to 1.
  package var ranEmpty = 0.0
  package var hoursToEmpty = HoursToEmpty()
  package var charge: [HourlyCharge] = []

  package init() {}

  package struct HourlyCharge: Equatable, Sendable, Codable {
    /// The local hour, 0 to 23.
    package var hour = 0
    package var mean = 0.0
    package var p5 = 0.0
    package var p95 = 0.0
    package init() {}
  }

  /// A Kaplan–Meier estimate of the hours from full to empty, censored when a phone is charged.
  package struct HoursToEmpty: Equatable, Sendable, Codable {
    /// The number of times that a phone left a charger with a full battery.
    package var discharges = 0
    /// The number of `discharges` that ended with an empty battery.
    package var ranEmpty = 0
    /// The hours by which 5 % are empty; null if too few phones stayed unplugged that long.
    @Nullable package var p5: Double?
    @Nullable package var p50: Double?
    @Nullable package var p95: Double?
  }
}

extension BatteryFigures {
  package static var head: [String] {
    [
      "cohort", "policy", "whole phone, J a day", "battery life (new)", "ran empty a day",
      "median time to empty", "charge at 8 h", "at 20 h",
    ]
  }

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
