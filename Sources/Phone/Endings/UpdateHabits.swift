internal import Foundation
package import Scenarios
package import SimulationCore
package import Telemetry

/// Decides when the phones of a cohort install the app's new versions (LC15). All answers are in
/// closed form, keyed by phone and version.
///
/// A version comes out once in each slot of the year, for all phones at the same instant. A phone
/// is ready for it after a while and installs it in a night on its charger; one that is not ready
/// before the next version comes out installs that one instead.
package struct UpdateHabits: Sendable {
  private let seed: UInt64
  private let updates: AppUpdates
  private let battery: BatteryConditions

  /// Makes the habits from the scenario's seed, the cohort's mix and how its batteries are charged.
  package init(seed: UInt64, mix: PhoneMix, _ battery: BatteryConditions) {
    self.seed = seed
    updates = mix.updates
    self.battery = battery
  }

  /// Returns when the phone next means to install a version after `t`; `distantFuture` if it never
  /// is on a charger at night, or there are no versions.
  package func next(after t: SimInstant, phone: PhoneID) -> SimInstant {
    guard updates.perYear > 0 else { return .distantFuture }
    let first = t.microseconds / slot - 1
    for version in first..<(first + 64) {
      let at = attempt(from: ready(for: version, phone), phone)
      if at > t, at <= release(version + 1) { return at }
    }
    return .distantFuture
  }

  /// Returns the next night's attempt after one at `t` that failed, since the phone was not on its
  /// charger, saved power or was in use.
  package func again(after t: SimInstant, phone: PhoneID) -> SimInstant {
    let tonight = battery.night(endingAfter: t, phone: phone)
    return attempt(from: tonight.contains(t) ? tonight.end : t, phone)
  }

  /// Returns whether the system starts the version that was installed at `t` for nobody but the
  /// app's owner.
  package func needsOpening(_ phone: PhoneID, installedAt t: SimInstant) -> Bool {
    var draw = Draw(seed: seed, phone: phone.rawValue, .installNight, t.microseconds)
    return draw.chance(updates.needsOpening)
  }

  /// The time between two versions, in microseconds.
  private var slot: Int64 {
    Int64(Double(SimDuration.hours(24 * 365).microseconds) / updates.perYear)
  }

  private func release(_ version: Int64) -> SimInstant {
    var draw = Draw(seed: seed, phone: 0, .appVersion, version)
    return SimInstant(microseconds: version * slot + Int64(draw.uniform() * Double(slot)))
  }

  private func ready(for version: Int64, _ phone: PhoneID) -> SimInstant {
    // The first phone, too, has a draw that is not the one of the release.
    var draw = Draw(seed: seed, phone: phone.rawValue, .appVersion, -version - 1)
    let soon = updates.soonWithin.seconds
    let wait =
      draw.chance(updates.soon)
      ? draw.uniform(0, soon) : soon + draw.exponential(mean: updates.halfLife.seconds / log(2))
    return release(version) + SimDuration(seconds: wait)
  }

  /// Returns the first instant from `t` on that the phone chooses in a night on its charger.
  private func attempt(from t: SimInstant, _ phone: PhoneID) -> SimInstant {
    var night = battery.night(endingAfter: t, phone: phone)
    while night != .never {
      var draw = Draw(
        seed: seed, phone: phone.rawValue, .installNight, night.start.microseconds)
      let length = (night.end - night.start).seconds
      let at = night.start + SimDuration(seconds: draw.uniform(0, length))
      if at >= t { return at }
      night = battery.night(endingAfter: night.end, phone: phone)
    }
    return .distantFuture
  }
}
