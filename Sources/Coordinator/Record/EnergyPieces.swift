internal import Fleet
internal import Measure
internal import Phone
internal import Scenarios
internal import SimulationCore

extension RunRecord {
  /// Computes the energy that phones used in the counted time: the scenario's whole duration.
  ///
  /// - Parameter range: the phones whose energy is summed.
  mutating func setEnergy(
    _ used: FleetEnergy, _ context: FleetContext, phones range: Range<Int>
  ) {
    let scenario = context.scenario
    let days = scenario.duration.seconds / 86_400
    var whole = EnergyBill()
    var sum = Energy.PhoneDay(joules: 0, percentOfBattery: 0, screenShare: 0)
    var cohorts: [Energy.Cohort] = []
    for (n, cohort) in scenario.fleet.cohorts.enumerated() {
      let phones = (context.cohortStarts[n]..<context.cohortStarts[n + 1])
        .clamped(to: range).count
      let bill = context.prices(n).bill(used.cohorts[n])
      let day = Energy.PhoneDay(bill, phones: phones, days: days, context.prices(n))
      whole += bill
      if let day { sum.add(day, weight: Double(phones) / Double(range.count)) }
      cohorts.append(
        Energy.Cohort(
          name: cohort.name, policy: scenario.policies[cohort.policy].name,
          profile: cohort.energy.name, phones: phones, joules: bill.joules, perPhoneDay: day))
    }
    energy.profile = Set(cohorts.map(\.profile)).sorted().joined(separator: ", ")
    energy.joules = whole.joules
    energy.perPhoneDay = !range.isEmpty && days > 0 ? sum : nil
    energy.cohorts = cohorts
  }
}

extension RunRecord.Energy.PhoneDay {
  fileprivate init?(_ bill: EnergyBill, phones: Int, days: Double, _ prices: EnergyPrices) {
    guard phones > 0, days > 0 else { return nil }
    let phoneDays = Double(phones) * days
    let tracking = Double(bill.tracking) / 1e6 / phoneDays
    let app = Double(bill.app) / 1e6 / phoneDays
    self.init(
      joules: tracking, percentOfBattery: 100 * tracking / prices.batteryJoules,
      screenShare: prices.screenShare(joulesPerDay: app))
  }

  fileprivate mutating func add(_ day: Self, weight: Double) {
    joules += day.joules * weight
    percentOfBattery += day.percentOfBattery * weight
    screenShare += day.screenShare * weight
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
