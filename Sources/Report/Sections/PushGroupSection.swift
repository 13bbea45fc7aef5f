internal import Core
internal import Figures

extension RunSections {
  /// The fewest hours for which a curve is drawn.
  private static let hoursDrawn = 6

  var pushGroups: HTML? {
    var tables: [Fold] = []
    let parts = [
      ("Cohorts", "cohort", wake.cohorts), ("Systems", "system", wake.systems),
      ("Types", "type", wake.types), ("Hours", "hour", wake.hours),
    ]
    for (title, head, groups) in parts {
      guard let groups, !groups.isEmpty else { continue }
      tables.append(.facts("\(title) as a table", Self.table(head, groups)))
    }
    guard !tables.isEmpty else { return nil }
    return page.section(
      "push-groups", "Answers by group and hour", sentence, chart: chart, tables: tables,
      notes: [
        """
        95 % intervals are from resampled phones. Hours are local hours of the push. Top miss: the \
        gate that stopped most of the group’s pushes. Cohorts whose policy ignores pushes have a \
        row; the other tables leave their pushes out.
        """
      ])
  }

  private var sentence: HTML {
    let ranked = Self.ranked(wake.cohorts)
    let hours = Self.ranked(wake.hours)
    var parts: [HTML] = []
    if let best = ranked.first, let worst = ranked.last, ranked.count > 1 {
      parts.append(
        """
        Answered by cohort: from \(Words.share(worst.answered)) (\(worst.name)) to \
        \(Words.share(best.answered)) (\(best.name)).
        """)
    }
    if let best = hours.first, let worst = hours.last, hours.count > 1 {
      parts.append(
        """
        By hour of the push: from \(Words.share(worst.answered)) (\(worst.name):00) to \
        \(Words.share(best.answered)) (\(best.name):00).
        """)
    }
    return parts.isEmpty ? "All pushes belong to one group." : parts.joined(" ")
  }

  /// Returns the groups, best first. Groups of a few pushes are left out, as their rank is chance.
  private static func ranked(
    _ groups: [WakeGroup]?
  ) -> [WakeGroup] {
    let all = groups ?? []
    let least = max(20, (all.map(\.eligible).max() ?? 0) / 50)
    return all.filter { $0.answered != nil && $0.eligible >= least }
      .sorted {
        ($1.answered?.value ?? 0, $0.name) < ($0.answered?.value ?? 0, $1.name)
      }
  }

  private static func table(_ head: String, _ groups: [WakeGroup]) -> Table {
    Table(
      head: [
        head, "requested", "judged", "answered", "caused", "uplift, points", "top miss",
      ],
      rows: groups.map { group in
        [
          group.name, Figure.grouped(group.requested), Figure.grouped(group.eligible),
          Words.ratio(group.answered), Words.ratio(group.caused), Words.points(group.uplift),
          miss(group),
        ]
      })
  }

  private static func miss(_ group: WakeGroup) -> String {
    let misses = WakeOutcome.allCases.filter {
      $0 != .caused && $0 != .raced && $0 != .pending && (group.outcomes[$0.rawValue] ?? 0) > 0
    }
    let most = misses.max {
      (group.outcomes[$0.rawValue] ?? 0) < (group.outcomes[$1.rawValue] ?? 0)
    }
    guard let most, let count = group.outcomes[most.rawValue] else { return "—" }
    return "\(most.name) \(Figure.percent(Double(count) / Double(group.requested)))"
  }

  private var chart: Chart? {
    guard let hours = wake.hours, hours.count >= Self.hoursDrawn else { return nil }
    var answered = LineChart.Series(name: "answered", ink: .blue, points: [])
    var caused = LineChart.Series(name: "caused", ink: .green, points: [])
    for hour in 0..<24 {
      let x = Double(hour) * 3_600 + 1_800
      let group = hours.first { Int($0.name) == hour }
      answered.points.append((x, group?.answered?.value))
      caused.points.append((x, group?.caused?.value))
    }
    // Draws bands only if all hours have values, since a band cannot leave out an hour.
    if hours.count == 24, hours.allSatisfy({ $0.answered != nil && $0.caused != nil }) {
      answered.band = Self.band(hours, \.answered)
      caused.band = Self.band(hours, \.caused)
    }
    return Chart(
      title: "Share of pushes answered, by local hour",
      body: .lines(
        LineChart(
          x: { .clock(from: 0, to: 86_400, ticks: $0) }, y: .share, unit: "share of pushes",
          xUnit: "local hour of the push", series: [answered, caused])))
  }

  private static func band(
    _ hours: [WakeGroup], _ ratio: KeyPath<WakeGroup, Ratio?>
  ) -> [(x: Double, low: Double, high: Double)] {
    hours.compactMap { hour in
      guard let number = Double(hour.name), let share = hour[keyPath: ratio] else { return nil }
      return (number * 3_600 + 1_800, share.low, share.high)
    }
  }
}
