internal import Core
internal import Figures

extension RunSections {
  var freshness: HTML? {
    let freshness = record.freshness
    let populations = freshness.populations
    guard populations.contains(where: { $0.1.never != nil }) else { return nil }
    let minutes = freshness.withinSeconds.map { Figure.plain($0 / 60) } ?? "?"
    let meters = freshness.locatedMeters.map { Figure.quantity($0) } ?? "?"
    let facts = Table(
      head: [
        "phones", "fresh (\(minutes) min)", "located (\(meters) m)", "never reported", "age p50",
        "p95", "p99",
      ],
      rows: populations.map { name, one in
        [name, share(one.share), share(one.located), share(one.never)]
          + [one.p50, one.p95, one.p99].map(age)
      })
    let (reachable, moving) = (share(freshness.reachable.share), share(freshness.moving.share))
    return page.section(
      "freshness", "Freshness by population",
      """
      Fresh phone-time (newest position at most \(minutes) min old): \(reachable) of reachable \
      phones, \(moving) of moving phones, \(share(freshness.installed.share)) of all installed \
      phones.
      """,
      open: facts,
      notes: [
        """
        Reachable: the phone reported Always permission and a valid push token. Located: the \
        newest position is within \(meters) m of the phone’s true position. Moving: while the phone \
        moves, reachable or not. Installed: all phones with the app.
        """
      ])
  }

  private func share(_ value: Double?) -> String { value.map(Figure.percent) ?? "—" }
  private func age(_ seconds: Double?) -> String {
    seconds.map { "\(Figure.quantity(($0 / 6).rounded() / 10)) min" } ?? "—"
  }

  // MARK: Why phones were stale, over time

  private static func ink(_ cause: StaleCause) -> Ink {
    switch cause {
    case .noPermission: .grey
    case .policySilent: .blue
    case .noPosition: .text
    case .pushGate: .orange
    case .inOutbox: .green
    case .waitingForWifi: .text
    case .forceQuit: .vermilion
    case .offline: .purple
    case .switchedOff: .sky
    case .batteryEmpty: .text
    case .beforeFirstUnlock: .sky
    case .endedForMemory: .vermilion
    case .updated: .sky
    case .reinstalled: .purple
    case .preciseOff: .text
    case .server: .yellow
    }
  }

  var silence: HTML? {
    let sum = record.stale.values.reduce(0, +)
    guard sum > 0 else { return nil }
    // Draws the largest cause at the bottom of the stack.
    let ranked = record.stale.ranked.compactMap { name, minutes in
      StaleCause(rawValue: name).map { ($0, minutes) }
    }
    let plot = TimelinePlot(
      files,
      ranked.map { cause, _ in
        .init(
          key: TimelineRow.staleColumn(cause), name: cause.words, ink: Self.ink(cause))
      })
    var facts = Table(
      head: ["cause", "phone-minutes", "share", "meaning"],
      rows: ranked.map { cause, minutes in
        [cause.words, Figure.grouped(minutes), Figure.percent(minutes / sum), cause.meaning]
      })
    facts.words = [3]
    let first = ranked.first.map { "\($0.0.words), \(Figure.percent($0.1 / sum))" } ?? ""
    return page.section(
      "silence", "Why phones were stale",
      """
      Most common cause: \(first) of \(Figure.quantity(sum)) phone-minutes. Every phone-minute \
      that is not fresh has exactly one cause.
      """,
      chart: plot?.chart(
        "Stale phones by cause, over time",
        y: .fromZero(to: plot?.top(isStacked: true) ?? 1, ticks: 4, text: Figure.quantity),
        unit: "stale phones", isStacked: true),
      tables: [
        .facts("Causes as a table", facts),
        plot.map { .curve("Causes over time as a table", $0.rows(Figure.quantity)) },
      ])
  }

  // MARK: Where phones were stale

  private static let rings = 4

  var map: HTML? {
    guard let map = record.map, Self.isWhole(map),
      let most = map.presentMinutes.max(), most > 0
    else { return nil }
    let present = map.presentMinutes.reduce(0, +)
    let silent = map.silentMinutes.reduce(0, +)
    let side = map.cellMeters / 1_000
    let reach = Double(map.cellsAcross) / 2 * side
    let cells = map.presentMinutes.indices.filter { map.presentMinutes[$0] > 0 }.map { i in
      let (east, north) = Self.kilometers(of: i, map)
      return MapChart.Cell(
        east: east, north: north,
        side: (Double(map.presentMinutes[i]) / Double(most)).squareRoot(),
        share: min(1, Double(map.silentMinutes[i]) / Double(map.presentMinutes[i])))
    }
    let outside: [HTML] =
      map.outsideMinutes > 0
      ? ["\(Figure.grouped(map.outsideMinutes)) phone-minutes are outside the map."] : []
    return page.section(
      "map", "Where phones were stale",
      """
      Phones were stale for \(Figure.percent(Double(silent) / Double(present))) of their time on \
      this map. Each cell is \(Figure.quantity(side)) km wide; the size of its square shows the \
      phone-time, and the colour the stale share of the phone-time.
      """,
      chart: Chart(
        title: "Map of the city: stale share of phone-time, by square",
        body: .map(MapChart(cells: cells, cellKilometers: side, reach: reach))),
      tables: [.facts("Stale time by distance from the centre as a table", Self.table(map))],
      notes: outside)
  }

  /// Returns whether the map is undamaged, so that its sums and places can be computed.
  private static func isWhole(_ map: RunRecord.Map) -> Bool {
    (1...10_000).contains(map.cellsAcross) && map.cellMeters > 0
      && map.presentMinutes.count == map.cellsAcross * map.cellsAcross
      && map.silentMinutes.count == map.presentMinutes.count
      && (map.presentMinutes + map.silentMinutes).allSatisfy { (0...1 << 36).contains($0) }
  }

  private static func kilometers(of i: Int, _ map: RunRecord.Map) -> (Double, Double) {
    let side = map.cellMeters / 1_000
    let half = Double(map.cellsAcross) / 2
    return (
      (Double(i % map.cellsAcross) + 0.5 - half) * side,
      (Double(i / map.cellsAcross) + 0.5 - half) * side
    )
  }

  /// Returns stale time by rings of equal width around the city's centre. The last is unbounded.
  private static func table(_ map: RunRecord.Map) -> Table {
    let reach = Double(map.cellsAcross) / 2 * (map.cellMeters / 1_000)
    var sums = [(present: Int, silent: Int)](repeating: (0, 0), count: rings)
    for i in map.presentMinutes.indices where map.presentMinutes[i] > 0 {
      let (east, north) = kilometers(of: i, map)
      let distance = (east * east + north * north).squareRoot() / reach
      let ring = min(rings - 1, Int(distance * Double(rings)))
      sums[ring].present += map.presentMinutes[i]
      sums[ring].silent += map.silentMinutes[i]
    }
    let width = reach / Double(rings)
    return Table(
      head: ["distance", "phone-minutes", "stale", "share"],
      rows: sums.enumerated().map { i, ring in
        let from = Figure.quantity(Double(i) * width)
        let to = Figure.quantity(Double(i + 1) * width)
        return [
          i == rings - 1 ? "beyond \(from) km" : "\(from) to \(to) km",
          Figure.grouped(ring.present), Figure.grouped(ring.silent),
          ring.present > 0 ? Figure.percent(Double(ring.silent) / Double(ring.present)) : "—",
        ]
      })
  }
}
