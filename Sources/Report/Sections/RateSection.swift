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
    let unit = isLive ? "batches/s" : "batches per simulated second"
    let offered = record.offered.batchesPerSecond.map(Figure.quantity) ?? "—"
    let achieved = record.throughput.batchesPerSecond.map(Figure.quantity) ?? "—"
    return page.section(
      "rate", "Offered load and throughput",
      """
      Throughput \(achieved) of \(offered) \(unit) offered, on average over the measured part. \
      Where the curves differ, batches waited or failed.
      """,
      chart: plot.chart(
        "rate", "Offered and acknowledged batches over time",
        y: .fromZero(to: plot.top(), ticks: 4, text: Figure.quantity), unit: unit),
      tables: [.curve("Rates as a table", plot.rows(Figure.quantity))])
  }
}
