internal import Capacity
internal import Core

extension DemandRecord {
  /// - Parameter start: City time, such as "2026-03-02T07:30:00".
  func sections(from start: String) -> [Block?] {
    let clock = start.split(separator: "T").last ?? ""
    let parts = clock.split(separator: ":").compactMap { Double($0) }
    let begin = zip(parts, [3_600, 60, 1]).reduce(0) { $0 + $1.0 * $1.1 }
    return [rate(begin), connections(begin), pushSection(begin)]
  }

  private static let inks: [Ink] = [.blue, .vermilion, .green, .purple, .orange, .sky, .yellow]

  private func rate(_ begin: Double) -> Block {
    let policies = self.policies.enumerated().map { place, name in
      LineChart.Series(
        name: name, ink: Self.inks[place % Self.inks.count],
        points: minutes.map { (begin + $0.from, $0.batches[place]) })
    }
    let busiest = LineChart.Series(
      name: "busiest second", ink: .grey,
      points: minutes.map { (begin + $0.from, Double($0.busiestSecond)) })
    let top = Double(minutes.map(\.busiestSecond).max() ?? 1)
    return .section(
      "demand", "Demand",
      """
      \(Figure.quantity(curve.mean)) batches/s on average, \(Figure.quantity(peakSecond.value)) in \
      the busiest second. \(Figure.grouped(livedPhones)) of \(Figure.grouped(phones)) phones were \
      simulated. The chart has each policy’s batches/s by minute.
      """,
      chart: chart(
        begin, "Batches/s over time", top, "batches/s", [busiest] + policies),
      open: facts,
      tables: [.curve("Every hour as a table", hours)],
      notes: [
        """
        The rate at which no batch waits longer than D is the maximum of arrivals ÷ (window + D) \
        over all windows.
        """
      ])
  }

  private func connections(_ begin: Double) -> Block {
    .section(
      "connections", "Connections and bytes",
      """
      \(Figure.quantity(peakConnections)) connections are open in the busiest second, with one \
      connection per upload and a modelled transit time.
      """,
      chart: chart(
        begin, "Open connections over time",
        minutes.map(\.connections).max() ?? 1, "connections",
        [
          LineChart.Series(
            name: "open", ink: .blue,
            points: minutes.map { (begin + $0.from, $0.connections) })
        ]))
  }

  private func pushSection(_ begin: Double) -> Block? {
    guard pushes > 0 else { return nil }
    return .section(
      "pushes", "Silent pushes",
      """
      \(Figure.quantity(pushes)) pushes in total, \
      \(Figure.quantity(peakPushesPerMinute)) in the busiest minute.
      """,
      chart: chart(
        begin, "Pushes/min over time",
        Double(minutes.map(\.pushes).max() ?? 1), "pushes/min",
        [
          LineChart.Series(
            name: "pushes", ink: .purple,
            points: minutes.map { (begin + $0.from, Double($0.pushes)) })
        ]))
  }

  private var hours: Table {
    let head =
      ["hour"] + policies.map { "\($0)/s" } + ["busiest second", "Mbit/s", "open", "pushes"]
    let rows = stride(from: 0, to: minutes.count, by: 60).map { first in
      let hour = minutes[first..<min(first + 60, minutes.count)]
      let count = Double(hour.count)
      func mean(_ value: (DemandRecord.Minute) -> Double) -> String {
        Figure.quantity(hour.reduce(0) { $0 + value($1) } / count)
      }
      let bits = hour.reduce(0) { $0 + $1.bytesPerSecond } / count * 8 / 1e6
      return ["\(first / 60)"] + policies.indices.map { place in mean { $0.batches[place] } }
        + [
          Figure.grouped(hour.map(\.busiestSecond).max() ?? 0), Figure.plain(bits),
          mean(\.connections), Figure.grouped(hour.reduce(0) { $0 + $1.pushes }),
        ]
    }
    return Table(head: head, rows: rows)
  }

  private func chart(
    _ begin: Double, _ title: String, _ top: Double, _ unit: String,
    _ series: [LineChart.Series]
  ) -> Chart {
    let end = begin + max(60, seconds)
    return Chart(
      title: title,
      body: .lines(
        LineChart(
          x: { .clock(from: begin, to: end, ticks: $0) },
          y: .fromZero(to: top, ticks: 4, text: Figure.quantity), unit: unit,
          xUnit: "local time", series: series)))
  }
}
