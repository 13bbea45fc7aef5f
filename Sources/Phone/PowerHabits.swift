package import Core
package import Scenarios

/// The times of a cohort's phones in Low Power Mode, independent of charge, and the times that push
/// budgets depend on. All draws are keyed by phone, and a night has the number of its first day.
package struct PowerHabits: Sendable, BitwiseCopyable {
  private let seed: UInt64
  private let clock: CivilClock
  private let nights: NightHabits
  private let restrictedAtNight: Double
  private let restrictedWindows: RecurringWindow

  package init(seed: UInt64, mix: PhoneMix, clock: CivilClock) {
    self.seed = seed
    self.clock = clock
    nights = mix.nights
    restrictedAtNight = mix.restrictedAtNight
    let slots = mix.windows
    restrictedWindows = RecurringWindow(
      purpose: .restrictedWindow, slot: slots.restricted, share: mix.restricted, seed: seed)
  }

  /// SP13: Returns when the power saving that is on at `t` ends; nil if power saving is off. While
  /// a phone saves power, the provider holds pushes that are not urgent. Phones differ: a phone
  /// that saves power often by day also does so at night, and some phones never save power.
  package func restrictedUntil(_ t: SimInstant, phone: PhoneID) -> SimInstant? {
    let restricted = restrictedWindows.share
    guard restricted > 0 || restrictedAtNight > 0 else { return nil }
    var days = Draw(seed: seed, phone: phone.rawValue, .restrictedShare)
    var nights = days
    let day = restrictedWindows.around(t, phone: phone, share: days.ownShare(mean: restricted))
    let night = nightly(
      of: self.night(at: t), share: nights.ownShare(mean: restrictedAtNight), .restrictedNight,
      phone: phone)
    return Self.end(of: day ?? .never, night, at: t)
  }

  /// Returns the pace of an app's push budget, valid to the next full hour: faster on a charger,
  /// slower at low battery (SP7) or if the owner does not open the app (SP12).
  package func refillPace(
    at t: SimInstant, _ phone: PushSituation, _ push: PhonePushSettings
  ) -> RefillPace {
    let midnight = clock.midnight(of: clock.day(at: t))
    let hour = (t - midnight).microseconds / SimDuration.hours(1).microseconds
    var pace = RefillPace(factor: 1, until: midnight + .hours(hour + 1))
    if phone.isCharging { pace.factor *= push.chargingFactor }
    if phone.isLow { pace.factor *= push.lowBatteryFactor }
    pace.factor *= push.interest(unopenedFor: t - phone.openedAt)
    return pace
  }

  /// Returns the first instant from `t` on at which a silent push may launch the app. SP9: No push
  /// launches the app soon after a start or a long outage. SP10: At night an unplugged phone at
  /// rest accepts pushes in one-minute slots only. The first slot comes after `nightSlot`, and the
  /// wait doubles from slot to slot.
  package func quietUntil(
    _ t: SimInstant, of id: PhoneID, _ phone: PushSituation, _ push: PhonePushSettings
  ) -> SimInstant {
    let t = max(t, phone.closedUntil)
    guard !phone.isCharging, !phone.isMoving, push.nightSlot > .zero else { return t }
    let window = nights.window(of: night(at: t), clock, seed: seed, phone: id)
    guard window.contains(t) else { return t }
    var (slot, wait) = (window.start + push.nightSlot, push.nightSlot)
    while slot < window.end {
      if t < slot + .minutes(1) { return max(t, slot) }
      wait = wait * 2
      slot = slot + wait
    }
    return window.end
  }

  /// Returns the number and end of the push budget's day, which begins at an hour drawn per phone.
  package func pushDay(at t: SimInstant, phone: PhoneID) -> (number: Int32, ends: SimInstant) {
    var draw = Draw(seed: seed, phone: phone.rawValue, .dayBudgetReset)
    let reset = SimDuration.hours(Int64(draw.next() % 24))
    let number = clock.day(at: t, from: reset)
    return (number, clock.instant(of: number + 1, at: reset))
  }

  private func nightly(
    of night: Int32, share: Double, _ purpose: Purpose, phone: PhoneID
  ) -> Window {
    guard share > 0 else { return .never }
    var draw = Draw(seed: seed, phone: phone.rawValue, purpose, Int64(night))
    guard draw.chance(share) else { return .never }
    return nights.window(of: night, clock, seed: seed, phone: phone)
  }

  private static func end(of a: Window, _ b: Window, at t: SimInstant) -> SimInstant? {
    switch (a.contains(t), b.contains(t)) {
    case (true, true): max(a.end, b.end)
    case (true, false): a.end
    case (false, true): b.end
    case (false, false): nil
    }
  }

  private func night(at t: SimInstant) -> Int32 {
    clock.day(at: t, from: .hours(12))
  }
}

extension NightHabits {
  /// Returns the night that begins on `day`. All nights of a phone are shifted by the same random
  /// time, but lie between two noons.
  func window(of day: Int32, _ clock: CivilClock, seed: UInt64, phone: PhoneID) -> Window {
    var draw = Draw(seed: seed, phone: phone.rawValue, .nightShift)
    let shift = SimDuration(seconds: draw.normal() * spread.seconds)
    let noon = SimDuration.hours(12)
    let later = min(max(noon - begin, shift), noon - end)
    return Window(
      start: clock.instant(of: day, at: begin + later),
      end: clock.instant(of: day, at: .hours(24) + end + later))
  }
}
