extension RunRecord.Energy {
  /// The rows of a summary: fleet first, then its cohorts where there are several.
  var summaryRows: [[String]] {
    func row(_ name: String, _ policy: String, _ day: PhoneDay?) -> [String] {
      [
        name, policy, day.map { Figure.quantity($0.joules) } ?? "—",
        day.map { "\(Figure.quantity($0.percentOfBattery)) %" } ?? "—",
        day.map { Figure.percent($0.screenShare) } ?? "—",
      ]
    }
    let cohorts = cohorts ?? []
    let fleet = row("fleet", cohorts.count == 1 ? cohorts[0].policy : "—", perPhoneDay)
    return [fleet]
      + (cohorts.count > 1 ? cohorts.map { row($0.name, $0.policy, $0.perPhoneDay) } : [])
  }
}
