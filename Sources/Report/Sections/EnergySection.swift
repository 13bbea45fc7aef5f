internal import Core
internal import Figures

extension RunSections {
  private static let components: [(key: String, name: String, ink: Ink)] = [
    ("satellites", "GPS", .blue), ("scans", "Wi-Fi scans", .blue),
    ("coarse", "coarse location on", .blue), ("motion", "motion coprocessor", .blue),
    ("callbacks", "app running", .orange), ("wakes", "wakes", .orange),
    ("cellular", "sends, cellular", .vermilion), ("wifi", "sends, Wi-Fi", .vermilion),
    ("screen", "screen, app in front", .grey), ("idle", "idle phone", .grey),
  ]

  var energy: HTML? {
    let energy = record.energy
    guard let day = energy.perPhoneDay else { return nil }
    let phoneDays =
      Double(record.scenario.phones) * record.scenario.durationSeconds / 86_400
    guard phoneDays > 0 else { return nil }
    let found = Self.components.map {
      (name: $0.name, joules: (energy.joules[$0.key] ?? 0) / phoneDays, ink: $0.ink)
    }
    // Leaves out the phone's own idling, beside which the tracker would be too small to see.
    let bars = found.filter { $0.ink != .grey && $0.joules > 0 }
    let table = Table(
      head: ["component", "J per phone-day"],
      rows: found.map { [$0.name, Figure.quantity($0.joules)] })
    let profile = energy.profile.map { " (energy profile \($0))" } ?? ""
    return page.section(
      "energy", "Energy of tracking",
      """
      Tracking used \(Figure.quantity(day.joules)) J per phone-day, \
      \(Figure.quantity(day.percentOfBattery)) % of the battery\(profile). Of all energy \
      that the phone used, its battery settings would show \(Figure.percent(day.screenShare)) for \
      the app.
      """,
      chart: bars.isEmpty
        ? nil
        : Chart(
          title: "Energy of tracking by component, joules per phone-day",
          body: .bars(
            BarChart(
              bars: bars.map {
                .init(
                  name: $0.name, value: $0.joules, text: "\(Figure.quantity($0.joules)) J",
                  ink: $0.ink)
              }, unit: "J per phone-day"))),
      tables: [.facts("Energy as a table", table)] + cohorts(energy),
      notes: [
        """
        A day is 24 h at the rate of the measured time. Tracking excludes the idle phone and the \
        screen. Battery settings: tracking plus the screen while the app is open, as a share of \
        the energy that the phone used.
        """
      ])
  }

  private func cohorts(_ energy: EnergyFigures) -> [Fold] {
    guard let cohorts = energy.cohorts, cohorts.count > 1 else { return [] }
    let table = Table(
      head: [
        "cohort", "policy", "profile", "phones", "tracking, J a day", "% of battery",
        "battery settings",
      ],
      rows: cohorts.map { cohort in
        [
          cohort.name, cohort.policy, cohort.profile, Figure.grouped(cohort.phones),
          cohort.perPhoneDay.map { Figure.quantity($0.joules) } ?? "—",
          cohort.perPhoneDay.map { Figure.quantity($0.percentOfBattery) } ?? "—",
          cohort.perPhoneDay.map { Figure.percent($0.screenShare) } ?? "—",
        ]
      })
    return [.facts("Cohorts as a table", table)]
  }
}
