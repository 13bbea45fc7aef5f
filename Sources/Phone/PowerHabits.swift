package import Scenarios
package import SimulationCore
package import Telemetry

/// Models battery and charger of a cohort's phones, and what the system does to save battery. All
/// answers are in closed form, keyed by phone and night.
///
/// A night has the number of the day on which it begins in the evening.
package struct PowerHabits: Sendable, BitwiseCopyable {
  private let seed: UInt64
  private let clock: CivilClock
  private let nights: NightHabits
  private let lowPowerAtNight: Double
  private let restrictedAtNight: Double
  private let chargesAtNight: Double
  private let lowPowerWindows: RecurringWindow
  private let lowBatteryWindows: RecurringWindow
  private let restrictedWindows: RecurringWindow

  /// Makes the habits of a cohort from the scenario's seed, the cohort's mix and the clock of its
  /// city.
  package init(seed: UInt64, mix: PhoneMix, clock: CivilClock) {
    self.seed = seed
    self.clock = clock
    nights = mix.nights
    lowPowerAtNight = mix.lowPowerAtNight
    restrictedAtNight = mix.restrictedAtNight
    chargesAtNight = mix.chargesAtNight
    let slots = mix.windows
    lowPowerWindows = RecurringWindow(
      .lowPowerWindow, slot: slots.lowPower, share: mix.lowPower, seed: seed)
    lowBatteryWindows = RecurringWindow(
      .lowBatteryWindow, slot: slots.lowBattery, share: mix.lowBattery, seed: seed)
    restrictedWindows = RecurringWindow(
      .restrictedWindow, slot: slots.restricted, share: mix.restricted, seed: seed)
  }

  /// Is true while the phone is in Low Power Mode.
  package func lowPower(at t: SimInstant, phone: PhoneID) -> Bool {
    lowPowerEnds(at: t, phone: phone) != nil
  }

  /// Returns the end of the window of Low Power Mode in which `t` lies, be it random or nightly;
  /// another may follow at once. It returns nil if the phone is not in Low Power Mode.
  package func lowPowerEnds(at t: SimInstant, phone: PhoneID) -> SimInstant? {
    let day = lowPowerWindows.next(endingAfter: t, phone: phone)
    let night = lowPowerNight(of: self.night(at: t), phone: phone)
    return Self.end(of: day, night, at: t)
  }

  /// The share of phones in Low Power Mode rises from 0 in the evening to `lowPowerAtNight` and
  /// falls to 0 until the morning; owners who turn it on earlier leave it on longer.
  private func lowPowerNight(of night: Int32, phone: PhoneID) -> Window {
    guard lowPowerAtNight > 0 else { return .never }
    var draw = Draw(seed: seed, phone: phone.rawValue, .lowPowerNight, Int64(night))
    let rank = draw.uniform() / lowPowerAtNight
    guard rank < 1 else { return .never }
    let midnight = clock.midnight(of: night)
    let morning = midnight + .hours(24) + nights.lowPowerUntil
    let rise = .hours(24) + nights.lowPowerMost - nights.lowPowerFrom
    let fall = nights.lowPowerUntil - nights.lowPowerMost
    return Window(
      start: midnight + nights.lowPowerFrom + SimDuration(seconds: rise.seconds * rank),
      end: morning - SimDuration(seconds: fall.seconds * rank))
  }

  /// Is true where the phone charges at `t`: in the nights in which its owner plugs it in.
  package func isCharging(at t: SimInstant, phone: PhoneID) -> Bool {
    nightly(
      of: self.night(at: t), share: chargesAtNight, .chargingNight, phone: phone
    ).contains(t)
  }

  /// Returns until when the system saves power and the provider keeps pushes that are not urgent;
  /// nil if it does not save power.
  package func restrictedUntil(_ t: SimInstant, phone: PhoneID) -> SimInstant? {
    let day = restrictedWindows.next(endingAfter: t, phone: phone)
    let night = nightly(
      of: self.night(at: t), share: restrictedAtNight, .restrictedNight, phone: phone)
    return Self.end(of: day, night, at: t)
  }

  /// Returns how fast an app's push budget fills: faster on a charger, slower below 20 % battery.
  /// The pace is valid to the next full hour at most, since a penalty decays meanwhile.
  package func refillPace(
    at t: SimInstant, phone: PhoneID, _ push: PhonePushSettings
  ) -> RefillPace {
    let midnight = clock.midnight(of: clock.day(at: t))
    let hour = (t - midnight).microseconds / SimDuration.hours(1).microseconds
    var pace = RefillPace(factor: 1, until: midnight + .hours(hour + 1))
    if isCharging(at: t, phone: phone) { pace.factor *= push.chargingFactor }
    let low = lowBatteryWindows.next(endingAfter: t, phone: phone)
    if low.contains(t) {
      pace.factor *= push.lowBatteryFactor
      pace.until = min(pace.until, low.end)
    } else {
      pace.until = min(pace.until, low.start)
    }
    return pace
  }

  /// Returns the day of the push budget, which begins at a different hour on each phone, and when
  /// it ends.
  package func pushDay(
    at t: SimInstant, phone: PhoneID
  ) -> (number: Int32, ends: SimInstant) {
    var draw = Draw(seed: seed, phone: phone.rawValue, .dayBudgetReset)
    let reset = SimDuration.hours(Int64(draw.next() % 24))
    let number = clock.day(at: t - reset)
    return (number, clock.midnight(of: number + 1) + reset)
  }

  /// Returns the night as a window, if the draw selects this one.
  private func nightly(
    of night: Int32, share: Double, _ purpose: Purpose, phone: PhoneID
  ) -> Window {
    guard share > 0 else { return .never }
    var draw = Draw(seed: seed, phone: phone.rawValue, purpose, Int64(night))
    guard draw.chance(share) else { return .never }
    return nights.window(of: night, clock)
  }

  /// Returns the later end of the windows in which `t` lies; nil if it lies in none.
  private static func end(of a: Window, _ b: Window, at t: SimInstant) -> SimInstant? {
    switch (a.contains(t), b.contains(t)) {
    case (true, true): max(a.end, b.end)
    case (true, false): a.end
    case (false, true): b.end
    case (false, false): nil
    }
  }

  private func night(at t: SimInstant) -> Int32 {
    clock.day(at: t - .hours(12))
  }
}

extension NightHabits {
  /// Returns the night that begins on the evening of a day.
  func window(of day: Int32, _ clock: CivilClock) -> Window {
    let midnight = clock.midnight(of: day)
    return Window(start: midnight + begin, end: midnight + .hours(24) + end)
  }
}
