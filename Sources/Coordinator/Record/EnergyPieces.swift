internal import Figures
internal import Fleet
internal import Phone
internal import Scenarios
internal import SimulationCore

extension RunRecord {
  /// Computes the energy that phones used in the counted time: the scenario's whole duration.
  ///
  /// - Parameter range: the phones whose energy is summed.
  mutating func setEnergy(
    _ metrics: FleetMetrics, _ context: FleetContext, phones range: Range<Int>
  ) {
    let scenario = context.scenario
    let days = scenario.duration.seconds / 86_400
    var whole = EnergyBill()
    var sum = EnergyFigures.PhoneDay(joules: 0, percentOfBattery: 0, screenShare: 0)
    var cohorts: [EnergyFigures.Cohort] = []
    var batteries: [BatteryFigures] = []
    for (n, cohort) in scenario.fleet.cohorts.enumerated() {
      let phones = (context.cohortStarts[n]..<context.cohortStarts[n + 1])
        .clamped(to: range).count
      let bill = context.prices(n).bill(metrics.energy.cohorts[n])
      let battery = metrics.batteries[n]
      let day = EnergyFigures.PhoneDay(
        bill, others: battery.others, phones: phones, days: days, context.prices(n))
      whole += bill
      if let day { sum.add(day, weight: Double(phones) / Double(range.count)) }
      cohorts.append(
        EnergyFigures.Cohort(
          name: cohort.name, policy: scenario.policies[cohort.policy].name,
          profile: cohort.energy.name, phones: phones, joules: bill.joules, perPhoneDay: day))
      if phones > 0, days > 0 {
        batteries.append(
          BatteryFigures(
            battery, name: cohort.name, policy: scenario.policies[cohort.policy].name,
            used: bill.total + battery.others, isOn: metrics.energy.cohorts[n].idle,
            phones: phones, days: days, context.prices(n)))
      }
    }
    energy.profile = Set(cohorts.map(\.profile)).sorted().joined(separator: ", ")
    energy.joules = whole.joules
    energy.perPhoneDay = !range.isEmpty && days > 0 ? sum : nil
    energy.cohorts = cohorts
    energy.batteries = batteries
  }
}

extension EnergyFigures.PhoneDay {
  fileprivate init?(
    _ bill: EnergyBill, others: Int64, phones: Int, days: Double, _ prices: EnergyPrices
  ) {
    guard phones > 0, days > 0 else { return nil }
    let phoneDays = Double(phones) * days
    let tracking = Double(bill.tracking) / 1e6 / phoneDays
    self.init(
      joules: tracking, percentOfBattery: 100 * tracking / prices.batteryJoules,
      screenShare: bill.screenShare(others: others))
  }

  fileprivate mutating func add(_ day: Self, weight: Double) {
    joules += day.joules * weight
    percentOfBattery += day.percentOfBattery * weight
    screenShare += day.screenShare * weight
  }
}

extension BatteryFigures {
  fileprivate init(
    _ battery: BatteryMetrics, name: String, policy: String, used: Int64, isOn: Int64,
    phones: Int, days: Double, _ prices: EnergyPrices
  ) {
    let phoneDays = Double(phones) * days
    self.init(
      name: name, policy: policy, phones: phones,
      joulesPerPhoneDay: Double(used) / 1e6 / phoneDays,
      chargedPerPhoneDay: Double(battery.charged) / 1e6 / phoneDays,
      // Microseconds over microjoules are seconds over joules.
      hoursOnACharge: used > 0 ? prices.batteryJoules * Double(isOn) / Double(used) / 3_600 : 0,
      ranEmptyPerPhoneDay: Double(battery.emptied) / phoneDays,
      ranEmpty: Double(battery.phonesEmptied) / Double(phones),
      hoursToEmpty: HoursToEmpty(
        discharges: battery.discharges,
        ranEmpty: battery.ranEmptyAfter.reduce(0) { $0 + Int($1) },
        p5: battery.hoursToEmpty(share: 0.05), p50: battery.hoursToEmpty(share: 0.5),
        p95: battery.hoursToEmpty(share: 0.95)),
      charge: (0..<24).compactMap { hour in
        battery.charge(at: hour).map {
          HourlyCharge(hour: hour, mean: $0.mean, p5: $0.p5, p95: $0.p95)
        }
      })
  }
}

extension EnergyBill {
  /// Returns joules by component, as a run record has them.
  fileprivate var joules: [String: Double] {
    var joules: [String: Double] = [:]
    for component in EnergyComponent.allCases {
      joules[component.rawValue] = Double(self[component]) / 1e6
    }
    return joules
  }
}
