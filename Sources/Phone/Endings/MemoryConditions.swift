internal import Core
package import Scenarios

/// Determines when a phone is so short of memory that its system ends apps (LC13, LC14). A shortage
/// comes at most once an hour, at an instant keyed by (seed, phone, hour).
package struct MemoryConditions: Sendable, BitwiseCopyable {
  private let seed: UInt64
  private let pressure: MemoryPressure
  private let held: Double

  package init(seed: UInt64, mix: PhoneMix, app: AppManifest) {
    self.seed = seed
    pressure = mix.memory
    held = Double(app.memory.bytes) / Double(MemoryPressure.reference.bytes)
  }

  /// LC14: The share of memory shortages that also end an app running in the background.
  var whileRunning: Double { pressure.whileRunning }

  private var isOff: Bool { pressure.perScreenHour <= 0 && pressure.perIdleHour <= 0 }

  /// Returns the next memory shortage after `t`, or the end of the 64 hours searched.
  func next(after t: SimInstant, phone: PhoneID, _ battery: BatteryConditions) -> SimInstant {
    guard !isOff else { return .distantFuture }
    let rates = rates(of: phone, battery)
    let first = Self.hour(of: t)
    for hour in first..<(first + 64) {
      if let need = need(in: hour, phone, rates, battery), need.at > t { return need.at }
    }
    return Self.begin(of: first + 64)
  }

  /// Returns the rank of the memory shortage at `t`, uniform from 0 (most urgent) to 1; nil if
  /// there is no shortage.
  func urgency(at t: SimInstant, phone: PhoneID, _ battery: BatteryConditions) -> Double? {
    guard !isOff else { return nil }
    let need = need(in: Self.hour(of: t), phone, rates(of: phone, battery), battery)
    return need?.at == t ? need?.urgency : nil
  }

  private struct Rates {
    let awake: Double
    let asleep: Double
  }

  private func rates(of phone: PhoneID, _ battery: BatteryConditions) -> Rates {
    var draw = Draw(seed: seed, phone: phone.rawValue, .memoryPressure, -1)
    let factor = held * draw.logNormal(median: 1, sigma: pressure.sigma)
    let screen = battery.screenShare(of: phone)
    let awake = screen * pressure.perScreenHour + (1 - screen) * pressure.perIdleHour
    return Rates(awake: factor * awake, asleep: factor * pressure.perIdleHour)
  }

  private func need(
    in hour: Int64, _ phone: PhoneID, _ rates: Rates, _ battery: BatteryConditions
  ) -> (at: SimInstant, urgency: Double)? {
    let begin = Self.begin(of: hour)
    let rate = battery.isAwake(at: begin) ? rates.awake : rates.asleep
    var draw = Draw(seed: seed, phone: phone.rawValue, .memoryPressure, hour)
    guard draw.chance(min(1, rate)) else { return nil }
    let at = begin + SimDuration(seconds: draw.uniform(0, SimDuration.hours(1).seconds))
    return (at, draw.uniform())
  }

  private static func hour(of t: SimInstant) -> Int64 {
    let (hours, rest) = t.microseconds.quotientAndRemainder(
      dividingBy: SimDuration.hours(1).microseconds)
    return rest < 0 ? hours - 1 : hours
  }

  private static func begin(of hour: Int64) -> SimInstant {
    SimInstant(microseconds: hour * SimDuration.hours(1).microseconds)
  }
}
