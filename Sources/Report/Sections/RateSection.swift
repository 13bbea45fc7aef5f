internal import Core
internal import Figures

extension LoadSections {
  var rate: HTML? {
    var columns: [TimelinePlot.Column] = [
      .init(key: "offered_per_s", name: "offered", ink: .orange),
      .init(key: "acked_per_s", name: "acknowledged", ink: .blue),
    ]
    if files.timeline["failed_per_s"].contains(where: { ($0 ?? 0) > 0 }) {
      columns.append(.init(key: "failed_per_s", name: "failed", ink: .vermilion))
    }
    guard let plot = TimelinePlot(files, columns) else { return nil }
    let isLive = record.latency.attempt.count > 0
    let unit = isLive ? "batches/s" : "batches per scenario second"
    let offered = record.offered.batchesPerSecond.map(Figure.quantity) ?? "—"
    let achieved = record.throughput.batchesPerSecond.map(Figure.quantity) ?? "—"
    return page.section(
      "rate", "Offered and achieved rate",
      """
      In the measured time phones offered \(offered) \(unit) on average and \(achieved) were \
      acknowledged; where the curves part, batches waited or failed.
      """,
      chart: plot.chart(
        "rate", "Offered and acknowledged batches over the time of the run",
        y: .fromZero(to: plot.top(), ticks: 4, text: Figure.quantity), unit: unit),
      tables: [.curve("Rates as a table", plot.rows(Figure.quantity))])
  }
}
