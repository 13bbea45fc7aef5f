package import Core
internal import Foundation
package import Scenarios

/// Decides when owners delete the app and reinstall it (LC16), keyed by phone and slot.
package struct ReinstallHabits: Sendable {
  private let seed: UInt64
  private let habits: Reinstalls
  private let clock: CivilClock
  private let nights: NightHabits

  package init(seed: UInt64, mix: PhoneMix, clock: CivilClock) {
    self.seed = seed
    habits = mix.reinstalls
    self.clock = clock
    nights = mix.nights
  }

  /// Returns the first period without the app that begins after `t`, from the deletion until the
  /// owner opens the new installation; `.never` if 64 slots have none.
  package func next(after t: SimInstant, phone: PhoneID) -> Window {
    guard habits.perYear > 0 else { return .never }
    // A slot has at most one deletion, and lasts a fifth of the mean interval, 1 to 30 days.
    let slot = min(24 * 30, max(24, (24 * 365 / habits.perYear / 5).rounded())) * 3_600 * 1_000_000
    let length = SimDuration(microseconds: Int64(slot))
    let share = 1 - exp(-habits.perYear * length.seconds / SimDuration.hours(24 * 365).seconds)
    // A deletion that would fall into a night at the end of a slot moves to the next slot.
    let first = t.microseconds / length.microseconds - 1
    for number in first..<(first + 64) {
      var draw = Draw(seed: seed, phone: phone.rawValue, .reinstall, number)
      guard draw.chance(share) else { continue }
      let begin = SimInstant(microseconds: number * length.microseconds)
      let removed = byDay(begin + SimDuration(seconds: draw.uniform(0, length.seconds)), &draw)
      let away = draw.logNormal(median: habits.away.seconds, sigma: habits.awaySigma)
      let window = Window(start: removed, end: byDay(removed + .seconds(Int64(away)), &draw))
      if window.start > t { return window }
    }
    return .never
  }

  private func byDay(_ t: SimInstant, _ draw: inout Draw) -> SimInstant {
    let midnight = clock.midnight(of: clock.day(at: t))
    let wait = SimDuration(seconds: draw.uniform(0, SimDuration.hours(2).seconds))
    if t - midnight < nights.sleepUntil { return midnight + nights.sleepUntil + wait }
    if t - midnight < nights.begin { return t }
    return midnight + .hours(24) + nights.sleepUntil + wait
  }
}
