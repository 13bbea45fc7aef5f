package import Figures

/// What a policy does for those who look for its phones, and what it costs the phones: shares, so
/// that they hold for more phones than were lived.
package struct ServedPhones: Equatable, Sendable, Codable {
  /// Of the reachable phones' time, with a newest fix no older than `withinSeconds`.
  @Nullable package var freshShare: Double?
  /// Is the greatest age of a fix that counts as fresh, in seconds; null: the run had no limit.
  @Nullable package var withinSeconds: Double?
  /// Of a full battery, a phone and day, for tracking.
  @Nullable package var batteryPercentPerDay: Double?
  /// Pushes answered within their time.
  @Nullable package var answered: Ratio?

  /// - Parameter run: of the simulation that lived them.
  package init(_ run: RunRecord) {
    _freshShare = Nullable(wrappedValue: run.freshness.reachable.share)
    _withinSeconds = Nullable(wrappedValue: run.freshness.withinSeconds)
    _batteryPercentPerDay = Nullable(wrappedValue: run.energy.batteryPercentPerDay)
    _answered = Nullable(wrappedValue: run.wake.answered)
  }
}
