internal import Core
internal import Figures

extension PhoneSections {
  private static let components: [(key: String, name: String, ink: Ink)] = [
    ("satellites", "satellites", .blue), ("scans", "Wi-Fi scans", .blue),
    ("coarse", "coarse class kept alive", .blue), ("motion", "motion coprocessor", .blue),
    ("callbacks", "app running", .orange), ("wakes", "wakes", .orange),
    ("cellular", "sends, cellular", .vermilion), ("wifi", "sends, Wi-Fi", .vermilion),
    ("screen", "screen, app in front", .grey), ("idle", "phone idling", .grey),
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
    // The phone's own idling would make the tracker too small to see.
    let bars = found.filter { $0.ink != .grey && $0.joules > 0 }
    let table = Table(
      head: ["component", "J a phone and day"],
      rows: found.map { [$0.name, Figure.quantity($0.joules)] })
    let profile = energy.profile.map { " (energy profile \($0))" } ?? ""
    return page.section(
      "energy", "What tracking cost the batteries",
      """
      Tracking cost a phone \(Figure.quantity(day.joules)) J a day, \
      \(Figure.quantity(day.percentOfBattery)) % of its battery\(profile); a battery screen would \
      show the app with \(Figure.percent(day.screenShare)).
      """,
      chart: bars.isEmpty
        ? nil
        : Chart(
          name: "energy", title: "Energy of tracking by component, joules a phone and day",
          body: .bars(
            BarChart(
              bars: bars.map {
                .init(
                  name: $0.name, value: $0.joules, text: "\(Figure.quantity($0.joules)) J",
                  ink: $0.ink)
              }, unit: "J a phone and day"))),
      tables: [.facts("Energy as a table", table)] + cohorts(energy),
      notes: [
        """
        A day is 24 h at the rate of the measured time. Neither an idle phone nor its lit screen \
        counts as tracking; a battery screen adds the time for which the app was looked at, and \
        shows a share of all that the phone used: by other apps and idling, too.
        """
      ])
  }

  private func cohorts(_ energy: EnergyFigures) -> [Fold] {
    guard let cohorts = energy.cohorts, cohorts.count > 1 else { return [] }
    let table = Table(
      head: ["cohort", "policy", "profile", "phones", "J a day", "% of battery", "battery screen"],
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
