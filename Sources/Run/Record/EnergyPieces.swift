internal import Core
internal import Figures
internal import Fleet
internal import Phone
internal import Scenarios

extension RunRecord {
  /// Computes the phones' energy over the scenario's whole duration.
  mutating func setEnergy(
    _ metrics: FleetMetrics, _ context: FleetContext, phones range: Range<Int>
  ) {
    let scenario = context.scenario
    let days = scenario.duration.seconds / 86_400
    var whole = EnergyBill()
    var sum = EnergyFigures.PhoneDay()
    var cohorts: [EnergyFigures.Cohort] = []
    var batteries: [BatteryFigures] = []
    for (n, cohort) in scenario.fleet.cohorts.enumerated() {
      let prices = context.prices(n)
      let bill = prices.bill(metrics.energy.cohorts[n])
      let battery = metrics.batteries[n]
      var row = EnergyFigures.Cohort()
      row.name = cohort.name
      row.policy = scenario.policies[cohort.policy].name
      row.profile = cohort.energy.name
      row.phones =
        (context.cohortStarts[n]..<context.cohortStarts[n + 1])
        .clamped(to: range).count
      row.joules = bill.joules
      let phoneDays = Double(row.phones) * days
      if phoneDays > 0 {
        let day = EnergyFigures.PhoneDay(bill, others: battery.others, phoneDays: phoneDays, prices)
        sum.add(day, weight: Double(row.phones) / Double(range.count))
        row.perPhoneDay = day
        batteries.append(
          BatteryFigures(
            battery, of: row, used: bill.total + battery.others,
            isOn: metrics.energy.cohorts[n].idle, phoneDays: phoneDays, prices))
      }
      whole += bill
      cohorts.append(row)
    }
    energy.profile = Set(cohorts.map(\.profile)).sorted().joined(separator: ", ")
    energy.joules = whole.joules
    energy.perPhoneDay = !range.isEmpty && days > 0 ? sum : nil
    energy.cohorts = cohorts
    energy.batteries = batteries
  }
}

extension EnergyFigures.PhoneDay {
  fileprivate init(
    _ bill: EnergyBill, others: Int64, phoneDays: Double, _ prices: EnergyPrices
  ) {
    self.init()
    joules = Double(bill.tracking) / 1e6 / phoneDays
    percentOfBattery = 100 * joules / prices.batteryJoules
    screenShare = bill.screenShare(others: others)
  }

  fileprivate mutating func add(_ day: Self, weight: Double) {
    joules += day.joules * weight
    percentOfBattery += day.percentOfBattery * weight
    screenShare += day.screenShare * weight
  }
}

extension BatteryFigures {
  fileprivate init(
    _ battery: BatteryMetrics, of cohort: EnergyFigures.Cohort, used: Int64, isOn: Int64,
    phoneDays: Double, _ prices: EnergyPrices
  ) {
    self.init()
    (name, policy, phones) = (cohort.name, cohort.policy, cohort.phones)
    joulesPerPhoneDay = Double(used) / 1e6 / phoneDays
    chargedPerPhoneDay = Double(battery.charged) / 1e6 / phoneDays
    // The ratio of microseconds and microjoules equals that of seconds and joules.
    if used > 0 { hoursOnACharge = prices.batteryJoules * Double(isOn) / Double(used) / 3_600 }
    ranEmptyPerPhoneDay = Double(battery.emptied) / phoneDays
    ranEmpty = Double(battery.phonesEmptied) / Double(phones)
    hoursToEmpty.discharges = battery.discharges
    hoursToEmpty.ranEmpty = battery.ranEmptyAfter.reduce(0) { $0 + Int($1) }
    hoursToEmpty.p5 = battery.hoursToEmpty(share: 0.05)
    hoursToEmpty.p50 = battery.hoursToEmpty(share: 0.5)
    hoursToEmpty.p95 = battery.hoursToEmpty(share: 0.95)
    for hour in 0..<24 {
      guard let shown = battery.charge(at: hour) else { continue }
      var row = HourlyCharge()
      (row.hour, row.mean, row.p5, row.p95) = (hour, shown.mean, shown.p5, shown.p95)
      charge.append(row)
    }
  }
}

extension EnergyBill {
  fileprivate var joules: [String: Double] {
    var joules: [String: Double] = [:]
    for component in EnergyComponent.allCases {
      joules[component.rawValue] = Double(self[component]) / 1e6
    }
    return joules
  }
}
