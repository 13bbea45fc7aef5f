internal import Core
internal import Figures
internal import Fleet
internal import Scenarios

extension RunRecord {
  /// Adds the figures of each system, and of its OS profiles if it has several. Adds nothing for a
  /// fleet with one system. Call it after `setEnergy`.
  mutating func setSystems(_ account: FleetAccount, _ context: FleetContext) {
    let scenario = context.scenario
    let cohorts = scenario.fleet.cohorts
    let kinds = cohorts.map(\.os.value.system.kind)
    guard Set(kinds).count > 1 else { return }
    let days = (account.livedUntil - scenario.measureStart).seconds / 86_400
    func figures(_ system: SystemKind, _ profile: String?) -> SystemFigures {
      var one = SystemFigures(system, profile: profile)
      var (total, fresh) = (SimDuration.zero, SimDuration.zero)
      var stale = StaleLedger()
      var battery = 0.0
      for n in cohorts.indices where kinds[n] == system {
        guard profile == nil || cohorts[n].os.name == profile else { continue }
        let phones = (context.cohortStarts[n]..<context.cohortStarts[n + 1])
          .clamped(to: account.phones).count
        one.phones += phones
        total += account.metrics.freshness.cohorts[n].total
        fresh += account.metrics.freshness.cohorts[n].fresh
        stale.merge(account.metrics.cohorts[n].stale)
        one.uploads += account.metrics.cohorts[n].uploads
        let day = energy.cohorts?[n].perPhoneDay
        battery += (day?.percentOfBattery ?? 0) * Double(phones)
      }
      one.fresh = total > .zero ? fresh.seconds / total.seconds : nil
      one.stale = stale.phoneMinutes
      guard one.phones > 0 else { return one }
      one.batteryPercentPerDay = battery / Double(one.phones)
      if days > 0 { one.uploadsPerPhoneDay = Double(one.uploads) / (Double(one.phones) * days) }
      return one
    }
    systems = SystemKind.allCases.flatMap { system in
      var profiles: [String] = []
      for n in cohorts.indices where kinds[n] == system {
        if !profiles.contains(cohorts[n].os.name) { profiles.append(cohorts[n].os.name) }
      }
      return [figures(system, nil)]
        + (profiles.count > 1 ? profiles.map { figures(system, $0) } : [])
    }
  }
}
