internal import Capacity
internal import Core
internal import Figures

extension DemandRecord {
  /// - Parameter start: The start in city time, such as "2026-03-02T07:30:00".
  func section(from start: String, _ ensemble: EnsembleFigures?) -> Block {
    let clock = start.split(separator: "T").last ?? ""
    let parts = clock.split(separator: ":").compactMap { Double($0) }
    let begin = zip(parts, [3_600, 60, 1]).reduce(0) { $0 + $1.0 * $1.1 }
    func curve(_ name: String, _ ink: Ink, _ value: (Minute) -> Double) -> LineChart.Series {
      LineChart.Series(name: name, ink: ink, points: minutes.map { (begin + $0.from, value($0)) })
    }
    let inks = Ink.curves.dropLast()
    let byPolicy = policies.enumerated().map { place, name in
      curve(name, inks[place % inks.count]) { $0.batches[place] }
    }
    let charts = [
      chart(
        begin, "Batches/s", "batches/s",
        [curve("busiest second", .grey) { Double($0.busiestSecond) }] + byPolicy),
      chart(begin, "Open connections", "connections", [curve("open", .blue) { $0.connections }]),
    ]
    let seen = views.map { views in
      chart(
        begin, views.areMessages ? "Messages to viewers/s" : "Reads by viewers/s",
        views.areMessages ? "messages/s" : "reads/s",
        [
          LineChart.Series(
            name: views.title, ink: .green,
            points: zip(minutes, views.minutes).map { (begin + $0.from, $1) })
        ])
    }
    let hasPushes = pushes > 0
    let last = chart(
      begin, "Pushes/min", "pushes/min", [curve("pushes", .purple) { Double($0.pushes) }])
    let asked =
      hasPushes
      ? """
       Silent pushes: \(Figure.quantity(pushes)), \(Figure.quantity(peakPushesPerMinute)) in the \
      busiest minute.
      """ : ""
    return .section(
      "demand", "Demand",
      [
        .text(
          """
          \(Figure.grouped(livedPhones)) of \(Figure.grouped(phones)) phones were simulated.\
          \(asked)
          """),
        .panels(charts + [seen, hasPushes ? last : nil].compactMap(\.self)),
        .table(facts(ensemble)),
        .fold(.curve("Every hour as a table", hours)),
        .note(
          """
          Each policy’s batches/s by minute, local time. Connections: one per upload, with a \
          modelled transit time. The rate at which no batch waits longer than D is the maximum of \
          arrivals ÷ (window + D) over all windows.
          """),
      ])
  }

  private var hours: Table {
    let head =
      ["hour"] + policies.map { "\($0)/s" } + ["busiest second", "Mbit/s", "open", "pushes"]
      + (views.map { [$0.areMessages ? "messages/s" : "reads/s"] } ?? [])
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
        + (views.map { views in
          let seen = views.minutes[first..<min(first + 60, views.minutes.count)]
          return [Figure.quantity(seen.reduce(0, +) / Double(max(1, seen.count)))]
        } ?? [])
    }
    return Table(head: head, rows: rows)
  }

  private func chart(
    _ begin: Double, _ title: String, _ unit: String, _ series: [LineChart.Series]
  ) -> Chart {
    let end = begin + max(60, seconds)
    let top = series.flatMap { $0.points.compactMap(\.y) }.max() ?? 1
    return Chart(
      title: "\(title) over time",
      body: .lines(
        LineChart(
          x: { .clock(from: begin, to: end, ticks: $0) },
          y: .fromZero(to: top, ticks: 3, text: Figure.quantity), unit: unit,
          xUnit: ClockAxis.unit, series: series)))
  }
}
