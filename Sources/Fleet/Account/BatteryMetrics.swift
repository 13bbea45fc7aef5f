internal import Core
internal import Phone

/// The battery figures of one cohort's phones. All members are integers, so that the figures of
/// shards add up exactly.
package struct BatteryMetrics: Codable, Equatable, Sendable {
  /// The highest hour of `ranEmptyAfter` and `chargedAfter`, which also counts longer times.
  package static let hoursMax = 240
  private static let percents = 101

  /// The energy used by screens and other apps, in microjoules.
  package internal(set) var others: Int64 = 0
  /// The energy from chargers, in microjoules.
  package internal(set) var charged: Int64 = 0
  package internal(set) var emptied = 0
  package internal(set) var phonesEmptied = 0
  private var charges: [Int32]
  /// The number of discharges from full to empty, by hours since the charger.
  package private(set) var ranEmptyAfter: [Int32]
  /// The number of discharges from full that ended before empty (charger, end of run), by hours.
  package private(set) var chargedAfter: [Int32]

  init() {
    charges = Array(repeating: 0, count: 24 * Self.percents)
    ranEmptyAfter = Array(repeating: 0, count: Self.hoursMax + 1)
    chargedAfter = Array(repeating: 0, count: Self.hoursMax + 1)
  }

  mutating func merge(_ other: BatteryMetrics) {
    others += other.others
    charged += other.charged
    emptied += other.emptied
    phonesEmptied += other.phonesEmptied
    for n in charges.indices { charges[n] += other.charges[n] }
    for n in ranEmptyAfter.indices { ranEmptyAfter[n] += other.ranEmptyAfter[n] }
    for n in chargedAfter.indices { chargedAfter[n] += other.chargedAfter[n] }
  }

  /// Negates every count, so that a later reading adds only the difference.
  mutating func negate() {
    (others, charged, emptied, phonesEmptied) = (-others, -charged, -emptied, -phonesEmptied)
    for n in charges.indices { charges[n] = -charges[n] }
    for n in ranEmptyAfter.indices { ranEmptyAfter[n] = -ranEmptyAfter[n] }
    for n in chargedAfter.indices { chargedAfter[n] = -chargedAfter[n] }
  }

  mutating func add(_ flow: BatteryFlow) {
    others += flow.others
    charged += flow.charged
  }

  mutating func noteHour(_ hour: Int, percent: Int) {
    charges[hour * Self.percents + percent] += 1
  }

  mutating func noteDischarge(_ time: SimDuration, ranEmpty: Bool) {
    let hours = min(Self.hoursMax, Int(time.seconds / 3_600))
    if ranEmpty { ranEmptyAfter[hours] += 1 } else { chargedAfter[hours] += 1 }
  }

  // MARK: Figures

  package struct HourlyCharge: Equatable, Sendable {
    package var mean: Double
    package var p5: Double
    package var p95: Double
  }

  /// Returns the charge at a full hour of the day; nil if the counted time contains no such hour.
  package func charge(at hour: Int) -> HourlyCharge? {
    let counts = charges[(hour * Self.percents)..<((hour + 1) * Self.percents)].map(Int.init)
    let total = counts.reduce(0, +)
    guard total > 0 else { return nil }
    let sum = counts.enumerated().reduce(0) { $0 + $1.offset * $1.element }
    func percentile(_ share: Double) -> Double {
      var seen = 0
      for (percent, count) in counts.enumerated() {
        seen += count
        if Double(seen) >= share * Double(total) { return Double(percent) }
      }
      return 100
    }
    return HourlyCharge(
      mean: Double(sum) / Double(total), p5: percentile(0.05), p95: percentile(0.95))
  }

  package var discharges: Int {
    (ranEmptyAfter + chargedAfter).reduce(0) { $0 + Int($1) }
  }

  /// Returns the hours after which a share of phones that started full is empty (Kaplan–Meier).
  /// Phones charged earlier are censored. Returns nil if too few were unplugged that long.
  package func hoursToEmpty(share: Double) -> Double? {
    var atRisk = discharges
    var left = 1.0
    for hour in 0...Self.hoursMax {
      let (empty, charged) = (Int(ranEmptyAfter[hour]), Int(chargedAfter[hour]))
      if atRisk > 0, empty > 0 { left *= 1 - Double(empty) / Double(atRisk) }
      if left <= 1 - share { return Double(hour) + 0.5 }
      atRisk -= empty + charged
    }
    return nil
  }
}
