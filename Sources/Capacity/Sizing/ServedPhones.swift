package import Core
package import Figures

package struct ServedPhones: Equatable, Sendable, Codable {
  /// The share of reachable phones' time in which the newest fix is at most `withinSeconds` old.
  @Nullable package var freshShare: Double?
  /// The greatest age of a fresh fix, in seconds; null if the run had no limit.
  @Nullable package var withinSeconds: Double?
  /// The percentage of a full battery that tracking uses per phone and day.
  @Nullable package var batteryPercentPerDay: Double?
  @Nullable package var answered: Ratio?
  @Nullable package var answeredOfSilent: Ratio?

  package init(_ run: RunRecord) {
    _freshShare = Nullable(wrappedValue: run.freshness.reachable.share)
    _withinSeconds = Nullable(wrappedValue: run.freshness.withinSeconds)
    _batteryPercentPerDay = Nullable(wrappedValue: run.energy.batteryPercentPerDay)
    _answered = Nullable(wrappedValue: run.wake.answered)
    _answeredOfSilent = Nullable(wrappedValue: run.wake.answeredOfSilent)
  }
}
