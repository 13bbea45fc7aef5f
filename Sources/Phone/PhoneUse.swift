package import Core
internal import Scenarios

/// The times at which the owner uses the phone. The waking day has as many equal slots as unlocks,
/// and each slot has one unlock at a random time. The screen is then on for the owner's share of
/// the slot.
package struct PhoneUse: Sendable, BitwiseCopyable {
  private let seed: UInt64
  private let clock: CivilClock
  private let nights: NightHabits
  private let perDay: Int64

  init(seed: UInt64, clock: CivilClock, nights: NightHabits, perDay: Double) {
    self.seed = seed
    self.clock = clock
    self.nights = nights
    self.perDay = max(1, Int64(perDay.rounded()))
  }

  /// Returns the last use that began at `t` or before.
  package func last(
    notAfter t: SimInstant, phone: PhoneID, screenShare: Double
  ) -> Window {
    // A waking day may begin on the evening before its date, or end on the morning after it.
    let day = clock.day(at: t)
    for day in [day + 1, day, day - 1] {
      let waking = waking(day, phone)
      guard t >= waking.start else { continue }
      let slot = slot(at: t, in: waking)
      for number in [slot, slot - 1] where number >= 0 {
        let use = use(number, of: day, waking, phone, screenShare)
        if use.start <= t { return use }
      }
    }
    return use(perDay - 1, of: day - 2, waking(day - 2, phone), phone, screenShare)
  }

  /// Returns the first use that begins after `t`.
  func next(after t: SimInstant, phone: PhoneID, screenShare: Double) -> Window {
    let day = clock.day(at: t)
    for day in [day - 1, day, day + 1] {
      let waking = waking(day, phone)
      guard t < waking.end else { continue }
      let slot = t < waking.start ? 0 : slot(at: t, in: waking)
      for number in [slot, slot + 1] where number < perDay {
        let use = use(number, of: day, waking, phone, screenShare)
        if use.start > t { return use }
      }
    }
    return use(0, of: day + 2, waking(day + 2, phone), phone, screenShare)
  }

  /// PT5: Returns when the owner will first have left the phone alone for `time` since `t`;
  /// `.distantFuture` if that does not happen within two days.
  func leftAlone(
    for time: SimDuration, since t: SimInstant, phone: PhoneID, screenShare: Double
  ) -> SimInstant {
    var quiet = t
    while quiet < t + .hours(48) {
      let use = next(after: quiet, phone: phone, screenShare: screenShare)
      if use.start >= quiet + time { return quiet + time }
      quiet = use.end
    }
    return .distantFuture
  }

  /// Returns when the owner got up last, and when they get up next.
  func rising(around t: SimInstant, phone: PhoneID) -> (last: SimInstant, next: SimInstant) {
    var day = clock.day(at: t) - 1
    var last = waking(day - 1, phone).start
    while true {
      let next = waking(day, phone).start
      if next > t { return (last, next) }
      (last, day) = (next, day + 1)
    }
  }

  /// Returns the time from the end of the night before `day` to the beginning of the next night.
  private func waking(_ day: Int32, _ phone: PhoneID) -> Window {
    Window(
      start: nights.window(of: day - 1, clock, seed: seed, phone: phone).end,
      end: nights.window(of: day, clock, seed: seed, phone: phone).start)
  }

  private func slot(at t: SimInstant, in waking: Window) -> Int64 {
    let length = max(1, (waking.end - waking.start).microseconds / perDay)
    return min(perDay - 1, (t - waking.start).microseconds / length)
  }

  private func use(
    _ number: Int64, of day: Int32, _ waking: Window, _ phone: PhoneID, _ screenShare: Double
  ) -> Window {
    let length = SimDuration.microseconds(
      max(1, (waking.end - waking.start).microseconds / perDay))
    var draw = Draw(
      seed: seed, phone: phone.rawValue, .phoneUse, Int64(day) << 16 | number)
    let start =
      waking.start + length * number + SimDuration(seconds: draw.uniform() * length.seconds)
    return Window(start: start, end: start + SimDuration(seconds: screenShare * length.seconds))
  }
}
