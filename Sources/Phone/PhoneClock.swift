package import Core
package import Scenarios

/// The errors of a cohort's phone clocks and their changes (CK1, CK2). A phone's clock changes once
/// in each slot, which is as long as the mean interval between changes.
package struct PhoneClocks: Sendable, BitwiseCopyable {
  private let seed: UInt64
  private let errors: ClockErrors

  package init(seed: UInt64, mix: PhoneMix) {
    self.seed = seed
    errors = mix.clock
  }

  /// Returns the time by which a phone's clock is ahead at an instant; negative if it is behind.
  package func error(of phone: PhoneID, at instant: SimInstant) -> SimDuration {
    .microseconds(setting(of: phone, at: FixTime(instant)).error * Self.centisecond)
  }

  /// A clock's error and the time in which it applies, `until` excluded, in hundredths of a second.
  struct Setting: BitwiseCopyable {
    var error: Int64 = 0
    var from = Int64.min
    var until = Int64.max
  }

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

  private func change(of phone: PhoneID, in number: Int64, _ slot: Int64) -> Int64 {
    var draw = Draw(seed: seed, phone: phone.rawValue, .clockChange, number)
    return number * slot + Int64(draw.uniform() * Double(slot))
  }

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

  private static func whole(
    _ unit: SimDuration, upTo most: SimDuration, _ draw: inout Draw
  ) -> Int64 {
    let count = max(1, most.microseconds / unit.microseconds)
    return centiseconds(unit.seconds) * (1 + Int64(draw.uniform() * Double(count)))
  }

  private static func centiseconds(_ seconds: Double) -> Int64 { Int64((seconds * 100).rounded()) }
  private static var centisecond: Int64 { 10_000 }
}

/// Converts true times to a phone's timestamps (CK2). Between clock changes time differences are
/// right. A true time always has the same timestamp, so resends are equal.
package struct PhoneStamps: Sendable, BitwiseCopyable {
  private let clocks: PhoneClocks
  private let phone: PhoneID
  private var setting = PhoneClocks.Setting(from: .max, until: .min)

  package init(_ clocks: PhoneClocks, of phone: PhoneID) {
    self.clocks = clocks
    self.phone = phone
  }

  package mutating func stamp(_ time: FixTime) -> FixTime {
    if time.centiseconds < setting.from || time.centiseconds >= setting.until {
      setting = clocks.setting(of: phone, at: time)
    }
    return FixTime(centiseconds: time.centiseconds + setting.error)
  }

  package mutating func stamped(_ fix: Fix) -> Fix {
    var fix = fix
    fix.time = stamp(fix.time)
    return fix
  }
}
