internal import Capacity
internal import Figures
internal import SimulationCore

/// What the phones ask for, over the day.
struct DemandSections {
  private let demand: DemandRecord
  @Boxed private var record: RunRecord
  private let page: Page
  /// The begin in seconds of the city's clock.
  private let begin: Double

  init(_ demand: DemandRecord, _ record: RunRecord, _ page: Page) {
    self.demand = demand
    self.record = record
    self.page = page
    // "2026-03-02T07:30:00".
    let clock = record.scenario.start.split(separator: "T").last ?? ""
    let parts = clock.split(separator: ":").compactMap { Double($0) }
    begin = zip(parts, [3_600, 60, 1]).reduce(0) { $0 + $1.0 * $1.1 }
  }

  var html: HTML { rate + connections + pushes }

  private static let inks: [Ink] = [.blue, .vermilion, .green, .purple, .orange, .sky, .yellow]

  private var rate: HTML {
    let policies = demand.policies.enumerated().map { place, name in
      LineChart.Series(
        name: name, ink: Self.inks[place % Self.inks.count],
        points: demand.minutes.map { (begin + $0.from, $0.batches[place]) })
    }
    let busiest = LineChart.Series(
      name: "busiest second", ink: .grey,
      points: demand.minutes.map { (begin + $0.from, Double($0.busiestSecond)) })
    let top = Double(demand.minutes.map(\.busiestSecond).max() ?? 1)
    return page.section(
      "demand", "What the phones ask for",
      """
      Batches a second of each policy, by minutes, and the busiest second of each minute; \
      \(Figure.grouped(demand.livedPhones)) of \(Figure.grouped(demand.phones)) phones were lived \
      in virtual time.
      """,
      chart: chart(
        "demand", "Batches a second over the time", top, "batches/s", [busiest] + policies),
      open: Table(head: ["", ""], rows: PlanWords.demandRows(demand), words: [1]),
      tables: [.curve("Every hour as a table", hours)],
      notes: [
        """
        A rate that keeps no batch longer than D is the largest quotient of arrivals and window + \
        D over all windows.
        """
      ])
  }

  private var connections: HTML {
    page.section(
      "connections", "Connections and bytes",
      """
      With a connection for each upload and a modelled time on the way, \
      \(Figure.quantity(demand.peakConnections)) are open in the busiest second.
      """,
      chart: chart(
        "connections", "Open connections over the time",
        demand.minutes.map(\.connections).max() ?? 1, "connections",
        [
          LineChart.Series(
            name: "open", ink: .blue,
            points: demand.minutes.map { (begin + $0.from, $0.connections) })
        ]),
      tables: [])
  }

  private var pushes: HTML {
    guard demand.pushes > 0 else { return "" }
    return page.section(
      "pushes", "Silent pushes",
      """
      \(Figure.quantity(demand.pushes)) in all, \
      \(Figure.quantity(demand.peakPushesPerMinute)) in the busiest minute.
      """,
      chart: chart(
        "pushes", "Pushes a minute over the time",
        Double(demand.minutes.map(\.pushes).max() ?? 1), "pushes/min",
        [
          LineChart.Series(
            name: "pushes", ink: .purple,
            points: demand.minutes.map { (begin + $0.from, Double($0.pushes)) })
        ]),
      tables: [])
  }

  private var hours: Table {
    let head =
      ["hour"] + demand.policies.map { "\($0)/s" } + ["busiest second", "Mbit/s", "open", "pushes"]
    let rows = stride(from: 0, to: demand.minutes.count, by: 60).map { first in
      let hour = demand.minutes[first..<min(first + 60, demand.minutes.count)]
      let count = Double(hour.count)
      func mean(_ value: (DemandRecord.Minute) -> Double) -> String {
        Figure.quantity(hour.reduce(0) { $0 + value($1) } / count)
      }
      let bits = hour.reduce(0) { $0 + $1.bytesPerSecond } / count * 8 / 1e6
      return ["\(first / 60)"] + demand.policies.indices.map { place in mean { $0.batches[place] } }
        + [
          Figure.grouped(hour.map(\.busiestSecond).max() ?? 0), Figure.plain(bits),
          mean(\.connections), Figure.grouped(hour.reduce(0) { $0 + $1.pushes }),
        ]
    }
    return Table(head: head, rows: rows)
  }

  private func chart(
    _ name: String, _ title: String, _ top: Double, _ unit: String, _ series: [LineChart.Series]
  ) -> Chart {
    let (begin, end) = (begin, begin + max(60, demand.seconds))
    return Chart(
      name: name, title: title,
      body: .lines(
        LineChart(
          x: { .clock(from: begin, to: end, ticks: $0) },
          y: .fromZero(to: top, ticks: 4, text: Figure.quantity), unit: unit,
          xUnit: "the city’s time", series: series)))
  }
}
