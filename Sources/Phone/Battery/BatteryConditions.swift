package import Core
package import Scenarios

/// The battery conditions that many phones share: the energy profile and the owners' habits. All
/// draws are keyed by phone and instant.
package struct BatteryConditions: Sendable, BitwiseCopyable {
  static let hour: Int64 = 3_600_000_000

  let seed: UInt64
  let clock: CivilClock
  private let nights: NightHabits
  private let habits: BatteryHabits
  private let chargesAtNight: Double
  private let keepsLowPower: Double
  /// The energy of a hundredth of a new battery, in microjoules.
  private let hundredth: Int64
  /// The thresholds of the charge, in thousandths of the capacity.
  private let reserve, bootsAt, warnsAt, lowPowerEndsAt: Int64
  /// The power of a charger, in microwatts.
  let charger: Int64
  private let lowPowerLeaves: Int64
  private let screenMilliwatts, demandingMilliwatts, backgroundMilliwatts: Double
  /// The power of each bit of an `EnergyDraw`, in µW.
  private var powers = InlineArray<9, Int64>(repeating: 0)

  package init(seed: UInt64, mix: PhoneMix, clock: CivilClock, _ prices: EnergyPrices) {
    self.seed = seed
    self.clock = clock
    nights = mix.nights
    habits = mix.battery
    chargesAtNight = mix.chargesAtNight
    keepsLowPower = mix.lowPower
    let profile = prices.profile
    hundredth = Int64((prices.batteryJoules * 1e4).rounded())
    func thousandths(_ share: Double) -> Int64 { Int64((share * 1_000).rounded()) }
    reserve = thousandths(profile.battery.reserve)
    bootsAt = thousandths(profile.battery.bootsAt)
    warnsAt = thousandths(profile.battery.warnsAt)
    lowPowerEndsAt = thousandths(profile.battery.lowPowerEndsAt)
    lowPowerLeaves = 1_000 - thousandths(profile.battery.lowPowerSaves)
    charger = Int64((profile.battery.chargerMilliwatts * 1_000).rounded())
    screenMilliwatts = profile.screenMilliwatts
    demandingMilliwatts = profile.demandingMilliwatts
    backgroundMilliwatts = profile.backgroundMilliwatts
    for bit in powers.indices { powers[bit] = prices.microwatts(EnergyDraw(rawValue: 1 << bit)) }
  }

  // MARK: Charges

  /// Returns the energy of the full battery at its present health, in microjoules.
  @inline(__always) package func capacity(_ battery: Battery) -> Int64 {
    hundredth * Int64(battery.health)
  }

  @inline(__always) private func level(_ thousandths: Int64, _ battery: Battery) -> Int64 {
    capacity(battery) / 1_000 * thousandths
  }

  /// Returns the percentage that the phone displays, 0 to 100: the charge above the reserve.
  package func percent(_ battery: Battery) -> Int {
    let reserve = level(reserve, battery)
    let shown = (battery.charge - reserve) * 100 / max(1, capacity(battery) - reserve)
    return Int(min(100, max(0, shown)))
  }

  /// BT3: Returns the charge at which a phone off its charger next warns or, when low, shuts down.
  @inline(__always) func floor(_ battery: Battery) -> Int64 {
    level(battery.isLow ? reserve : warnsAt, battery)
  }

  func isAtWarning(_ battery: Battery) -> Bool { battery.charge <= level(warnsAt, battery) }
  func isUsedUp(_ battery: Battery) -> Bool { battery.charge <= level(reserve, battery) }
  func mayBoot(_ battery: Battery) -> Bool { battery.charge >= level(bootsAt, battery) }
  func isRestored(_ battery: Battery) -> Bool { battery.charge >= level(lowPowerEndsAt, battery) }
  /// A battery is full from 99 % on, since up to 1 % is lost between unplugging and the next event.
  func isFull(_ battery: Battery) -> Bool { battery.charge >= level(990, battery) }

  /// Returns the charge in microjoules at which a charging phone has its next event; nil if none.
  private func ceiling(_ battery: Battery) -> Int64? {
    if battery.isEmpty { return level(bootsAt, battery) }
    if battery.isLow { return level(warnsAt, battery) + 1 }
    return battery.flags.contains(.lowPower) && !battery.flags.contains(.keepsLowPower)
      ? level(lowPowerEndsAt, battery) : nil
  }

  // MARK: Power

  @inline(__always) static func energy(_ microwatts: Int64, _ microseconds: Int64) -> Int64 {
    let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    return seconds * microwatts + rest * microwatts / 1_000_000
  }

  @inline(__always) private func power(_ draw: EnergyDraw) -> Int64 {
    var sum: Int64 = 0
    var bits = draw.rawValue
    while bits != 0 {
      sum += powers[bits.trailingZeroBitCount]
      bits &= bits &- 1
    }
    return sum
  }

  /// Returns the power of screen and other apps in µW; less in Low Power Mode (BT2), 0 at night.
  func usage(_ battery: Battery, at time: Int64) -> Int64 {
    isAwake(at: time) ? usageAwake(battery) : 0
  }

  @inline(__always) private func usageAwake(_ battery: Battery) -> Int64 {
    Int64(battery.usage) * (battery.isInLowPowerMode ? lowPowerLeaves : 1_000)
  }

  func isAwake(at t: SimInstant) -> Bool { isAwake(at: clock.timeOfDay(at: t).microseconds) }

  private func isAwake(at time: Int64) -> Bool {
    nights.sleepUntil.microseconds <= time && time < nights.begin.microseconds
  }

  /// Returns the next time of day at which an hour begins or the owner gets up or goes to bed.
  func boundary(after time: Int64) -> Int64 {
    var next = (time / Self.hour + 1) * Self.hour
    let (rises, sleeps) = (nights.sleepUntil.microseconds, nights.begin.microseconds)
    if time < rises { next = min(next, rises) }
    if time < sleeps { next = min(next, sleeps) }
    return next
  }

  /// Returns whether a phone with this draw could reach `floor` before `due`. The check is one
  /// multiplication, since it runs whenever the draw rises.
  @inline(__always) func mayReachFloor(
    _ battery: Battery, _ draw: EnergyDraw, now: SimInstant, before due: SimInstant
  ) -> Bool {
    let seconds = (min(due, now + .hours(240)) - now).microseconds / 1_000_000
    return (power(draw) + usageAwake(battery)) * seconds > battery.charge - floor(battery)
  }

  /// Returns when to check the battery next, no later than its next event. A discharging phone is
  /// checked after half of the time left at the current draw, since future uploads are unknown.
  func nextLook(_ battery: Battery, _ draw: EnergyDraw, now: SimInstant) -> SimInstant {
    let power = draw.contains(.idle) ? power(draw) + usageAwake(battery) : 0
    let gain = (battery.isPlugged ? charger : 0) - power
    if gain > 0 {
      // Leaves the phone's own power out, so that the check does not come late.
      guard let ceiling = ceiling(battery) else { return .distantFuture }
      return now + Self.time(for: ceiling - battery.charge, at: charger)
    }
    guard gain < 0, !battery.isEmpty else { return .distantFuture }
    let left = Self.time(for: battery.charge - floor(battery), at: -gain)
    return now + max(.microseconds(left.microseconds / 2), min(left, .minutes(10)))
  }

  private static func time(for energy: Int64, at microwatts: Int64) -> SimDuration {
    guard energy > 0 else { return .seconds(1) }
    let seconds = Double(energy) / Double(microwatts)
    return max(.seconds(1), SimDuration(seconds: min(seconds, 1e8)))
  }

  // MARK: Owners

  package func battery(of phone: PhoneID, at birth: SimInstant) -> Battery {
    var draw = Draw(seed: seed, phone: phone.rawValue, .battery)
    var battery = Battery()
    battery.health = UInt8((100 * draw.uniform(habits.healthLeast, 1)).rounded())
    battery.charge = Int64(Double(capacity(battery)) * draw.uniform(habits.chargeLeast, 1))
    let screen = screenShare(&draw)
    if draw.chance(keepsLowPower) { battery.flags = [.lowPower, .keepsLowPower] }
    let milliwatts = backgroundMilliwatts + screen * screenPower(&draw)
    battery.usage = UInt16(min(65_535, milliwatts.rounded()))
    if isAtWarning(battery) { battery.flags.insert(.low) }
    if isFull(battery) { battery.mark = UInt32(clamping: birth.microseconds / 1_000_000) }
    return battery
  }

  package var use: PhoneUse {
    PhoneUse(seed: seed, clock: clock, nights: nights, perDay: habits.unlocksPerDay)
  }

  /// The share of the owner's waking hours with the screen on.
  package func screenShare(of phone: PhoneID) -> Double {
    var draw = Draw(seed: seed, phone: phone.rawValue, .battery)
    // Skips the draws of the battery's health and first charge.
    _ = draw.uniform()
    _ = draw.uniform()
    return screenShare(&draw)
  }

  private func screenShare(_ draw: inout Draw) -> Double {
    let awake = max(3_600, (nights.begin - nights.sleepUntil).seconds)
    let screen = draw.logNormal(
      median: habits.screenTime.seconds, sigma: habits.screenTimeSigma)
    return min(1, max(0, screen) / awake)
  }

  /// BT8: Returns the mean power of the owner's screen time, in milliwatts. An owner's share of
  /// games and camera is up to twice the mean.
  private func screenPower(_ draw: inout Draw) -> Double {
    let spread = min(habits.demanding, 1 - habits.demanding)
    let share = habits.demanding + spread * draw.uniform(-1, 1)
    return screenMilliwatts + share * (demandingMilliwatts - screenMilliwatts)
  }

  /// BT1: Returns whether the phone is on its usual charger: at home at night, at work or in the
  /// car.
  func hasCharger(at t: SimInstant, _ segment: Segment, phone: PhoneID) -> Bool {
    if segment.isMoving {
      return segment.mode == .car && charges(phone).inCar
    }
    if segment.isAtWork { return charges(phone).atWork }
    return segment.isAtHome && night(endingAfter: t, phone: phone).contains(t)
  }

  private func charges(_ phone: PhoneID) -> (atWork: Bool, inCar: Bool) {
    var draw = Draw(seed: seed, phone: phone.rawValue, .chargers)
    let atWork = draw.chance(habits.chargesAtWork)
    return (atWork, draw.chance(habits.chargesInCar))
  }

  /// BT1: Returns whether a low phone is plugged in at this stay, if it is at home or work. An
  /// empty phone is always plugged in there if `chargesWhenLow` > 0.
  func isPluggedWhenLow(_ battery: Battery, _ segment: Segment, phone: PhoneID) -> Bool {
    guard !segment.isMoving, segment.isAtHome || segment.isAtWork else { return false }
    var draw = Draw(
      seed: seed, phone: phone.rawValue, .chargedStay, segment.start.microseconds)
    return draw.chance(habits.chargesWhenLow) || battery.isEmpty && habits.chargesWhenLow > 0
  }

  /// Returns the current or next night on a charger; `.never` if there is none within a week.
  func night(endingAfter t: SimInstant, phone: PhoneID) -> Window {
    guard chargesAtNight > 0 else { return .never }
    let first = clock.day(at: t, from: .hours(12))
    for night in first..<(first + 8) {
      var draw = Draw(seed: seed, phone: phone.rawValue, .chargingNight, Int64(night))
      guard draw.chance(chargesAtNight) else { continue }
      let window = nights.window(of: night, clock, seed: seed, phone: phone)
      if window.end > t { return window }
    }
    return .never
  }

  /// BR5: Returns the first processing task at `t` or later, from its start in the owner's sleep to
  /// the end of the night; `.never` if there is none within a week.
  func processing(notBefore t: SimInstant, share: Double, phone: PhoneID) -> Window {
    let first = clock.day(at: t, from: .hours(12))
    for number in first..<(first + 8) {
      var draw = Draw(seed: seed, phone: phone.rawValue, .processingNight, Int64(number))
      guard draw.chance(share) else { continue }
      let night = nights.window(of: number, clock, seed: seed, phone: phone)
      let start =
        night.start + SimDuration(seconds: draw.uniform() * (night.end - night.start).seconds)
      if start >= t { return Window(start: start, end: night.end) }
    }
    return .never
  }

  /// Returns whether the phone turns on Low Power Mode at the warning: by the owner's answer (BT2),
  /// or by itself (BT12).
  func answersWarning(at t: SimInstant, phone: PhoneID) -> Bool {
    var adaptive = Draw(seed: seed, phone: phone.rawValue, .adaptivePower)
    if adaptive.chance(habits.adaptivePower) { return true }
    var draw = Draw(seed: seed, phone: phone.rawValue, .lowPowerOffer, t.microseconds)
    return draw.chance(habits.lowPowerWhenLow)
  }

  /// BU1: Returns the next restart at `t` or later; `distantFuture` if phones never restart.
  func restart(notBefore t: SimInstant, phone: PhoneID) -> SimInstant {
    guard habits.restartsPerYear > 0 else { return .distantFuture }
    let year = SimDuration.hours(365 * 24).seconds
    let slot = SimDuration(seconds: year / habits.restartsPerYear).microseconds
    let first = t.microseconds / slot
    for k in first...(first + 1) {
      var draw = Draw(seed: seed, phone: phone.rawValue, .restart, k)
      let begin = Int64(draw.uniform() * Double(slot))
      let at = SimInstant(microseconds: k * slot + begin)
      if at >= t { return at }
    }
    return .distantFuture
  }

  /// BT5: Returns the first unlock of a phone that started at `t`. The random wait until the unlock
  /// does not begin during the owner's sleep.
  func firstUnlock(after t: SimInstant, phone: PhoneID) -> SimInstant {
    unlock(after: t, .firstUnlock, phone: phone)
  }

  func unlock(after t: SimInstant, _ purpose: Purpose, phone: PhoneID) -> SimInstant {
    var draw = Draw(seed: seed, phone: phone.rawValue, purpose, t.microseconds)
    let awake = max(3_600, (nights.begin - nights.sleepUntil).seconds)
    let wait = SimDuration(seconds: draw.exponential(mean: awake / habits.unlocksPerDay))
    let day = clock.day(at: t)
    let time = clock.time(at: t, since: day)
    if time < nights.sleepUntil { return clock.instant(of: day, at: nights.sleepUntil) + wait }
    if time < nights.begin { return t + wait }
    return clock.instant(of: day + 1, at: nights.sleepUntil) + wait
  }
}

extension Segment {
  /// Whether the segment is a stay at home. The places of a recording are unknown and count as
  /// home.
  fileprivate var isAtHome: Bool { !isMoving && (place == 0 || place == .max) }
  fileprivate var isAtWork: Bool { !isMoving && place == 1 }
}
