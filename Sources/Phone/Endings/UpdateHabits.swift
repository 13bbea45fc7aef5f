package import Core
internal import Foundation
package import Scenarios

/// Determines when a cohort's phones install new versions of the app (LC15), keyed by phone and
/// version. Each slot, a year divided by `perYear`, has one release. A phone installs a version
/// some time later, at night on a charger, unless the next version comes first.
package struct UpdateHabits: Sendable {
  private let seed: UInt64
  private let updates: AppUpdates
  private let battery: BatteryConditions

  package init(seed: UInt64, mix: PhoneMix, _ battery: BatteryConditions) {
    self.seed = seed
    updates = mix.updates
    self.battery = battery
  }

  /// Returns the phone's next attempt to install a version after `t`; `distantFuture` if the phone
  /// is never on a charger at night or the app has no updates.
  package func next(after t: SimInstant, phone: PhoneID) -> SimInstant {
    guard updates.perYear > 0 else { return .distantFuture }
    let first = t.microseconds / slot - 1
    for version in first..<(first + 64) {
      let at = attempt(from: ready(for: version, phone), phone)
      if at > t, at <= release(version + 1) { return at }
    }
    return .distantFuture
  }

  package func again(after t: SimInstant, phone: PhoneID) -> SimInstant {
    let tonight = battery.night(endingAfter: t, phone: phone)
    return attempt(from: tonight.contains(t) ? tonight.end : t, phone)
  }

  /// Returns whether the version installed at `t` starts only when the owner opens the app.
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
    // The negative number keeps phone 0's draw different from the draw of the release.
    var draw = Draw(seed: seed, phone: phone.rawValue, .appVersion, -version - 1)
    let soon = updates.soonWithin.seconds
    let wait =
      draw.chance(updates.soon)
      ? draw.uniform(0, soon) : soon + draw.exponential(mean: updates.halfLife.seconds / log(2))
    return release(version) + SimDuration(seconds: wait)
  }

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
