package import Scenarios
package import SimulationCore
package import Telemetry

/// Decides how far the clocks of a cohort's phones are off, and when that changes (CK1, CK2).
///
/// All answers are in closed form, keyed by phone and change, so that a phone keeps nothing of its
/// clock. Time is cut into slots of the mean interval between two changes, each of which holds one
/// change, at an instant of the phone's own.
package struct PhoneClocks: Sendable, BitwiseCopyable {
  private let seed: UInt64
  private let errors: ClockErrors

  /// Makes the clocks from the scenario's seed and the cohort's mix.
  package init(seed: UInt64, mix: PhoneMix) {
    self.seed = seed
    errors = mix.clock
  }

  /// Returns how far a phone's clock is ahead at an instant; behind where it is negative.
  package func error(of phone: PhoneID, at instant: SimInstant) -> SimDuration {
    .microseconds(setting(of: phone, at: FixTime(instant)).error * Self.centisecond)
  }

  /// One setting of a clock: its error, and the time for which it holds, in hundredths of a
  /// second.
  struct Setting: BitwiseCopyable {
    var error: Int64 = 0
    var from = Int64.min
    var until = Int64.max
  }

  /// Returns the setting that a phone's clock has at a true time.
  func setting(of phone: PhoneID, at time: FixTime) -> Setting {
    if errors.sigma <= .zero, errors.setWrong <= 0 { return Setting() }
    guard errors.changesPerYear > 0 else { return Setting(error: error(of: phone, after: 0)) }
    let year = SimDuration.hours(24 * 365).microseconds / Self.centisecond
    let slot = Int64(Double(year) / errors.changesPerYear)
    let number = time.centiseconds / slot
    let change = change(of: phone, in: number, slot)
    if time.centiseconds < change {
      return Setting(
        error: error(of: phone, after: number - 1),
        from: self.change(of: phone, in: number - 1, slot), until: change)
    }
    return Setting(
      error: error(of: phone, after: number), from: change,
      until: self.change(of: phone, in: number + 1, slot))
  }

  /// Returns when a phone's clock is set anew in a slot.
  private func change(of phone: PhoneID, in number: Int64, _ slot: Int64) -> Int64 {
    var draw = Draw(seed: seed, phone: phone.rawValue, .clockChange, number)
    return number * slot + Int64(draw.uniform() * Double(slot))
  }

  /// CK1: Returns how far a phone's clock is off from the change in a slot to the next.
  private func error(of phone: PhoneID, after number: Int64) -> Int64 {
    var draw = Draw(seed: seed, phone: phone.rawValue, .clockError, number)
    guard draw.chance(errors.setWrong) else {
      return Self.centiseconds(draw.normal() * errors.sigma.seconds)
    }
    let isAhead = draw.chance(errors.ahead)
    let off = setWrong(&draw)
    return isAhead ? off : -off
  }

  private func setWrong(_ draw: inout Draw) -> Int64 {
    let kind = draw.uniform()
    if kind < errors.days {
      return Self.whole(.hours(24), upTo: errors.daysMost, &draw)
    }
    if kind < errors.days + errors.hours {
      return Self.whole(.hours(1), upTo: errors.hoursMost, &draw)
    }
    let off = draw.logNormal(median: errors.minutes.seconds, sigma: errors.minutesSigma)
    return Self.centiseconds(min(off, ClockErrors.most.seconds))
  }

  /// Returns one to as many whole units as `most` has, each equally often.
  private static func whole(
    _ unit: SimDuration, upTo most: SimDuration, _ draw: inout Draw
  ) -> Int64 {
    let count = max(1, most.microseconds / unit.microseconds)
    return centiseconds(unit.seconds) * (1 + Int64(draw.uniform() * Double(count)))
  }

  private static func centiseconds(_ seconds: Double) -> Int64 { Int64((seconds * 100).rounded()) }
  /// In microseconds.
  private static var centisecond: Int64 { 10_000 }
}

/// Puts the phone's own stamps on what it sends (CK2).
///
/// Stamps of one phone between two settings of its clock carry the same error, so that their
/// differences are right. The same true time always has the same stamp: what is sent again is
/// equal.
package struct PhoneStamps: Sendable, BitwiseCopyable {
  private let clocks: PhoneClocks
  private let phone: PhoneID
  private var setting = PhoneClocks.Setting(from: .max, until: .min)

  /// Makes the stamps of one phone.
  package init(_ clocks: PhoneClocks, of phone: PhoneID) {
    self.clocks = clocks
    self.phone = phone
  }

  /// Returns the stamp of a true time.
  package mutating func stamp(_ time: FixTime) -> FixTime {
    if time.centiseconds < setting.from || time.centiseconds >= setting.until {
      setting = clocks.setting(of: phone, at: time)
    }
    return FixTime(centiseconds: time.centiseconds + setting.error)
  }

  /// Returns a fix as the phone sends it.
  package mutating func stamped(_ fix: Fix) -> Fix {
    var fix = fix
    fix.time = stamp(fix.time)
    return fix
  }
}
