internal import Core
internal import Figures

extension RunSections {
  var storm: HTML? {
    guard let storms = record.storm, let first = storms.first else { return nil }
    let plot = TimelinePlot(
      files,
      [
        .init(key: "attempts_per_s", name: "attempts", ink: .orange),
        .init(key: "offered_per_s", name: "offered", ink: .grey),
        .init(key: "acked_per_s", name: "acknowledged", ink: .blue),
      ])
    let isLive = record.latency.attempt.count > 0
    let unit = isLive ? "uploads/s" : "uploads per simulated second"
    let step = Figure.quantity(first.stepSeconds)
    let tolerance = Figure.quantity((StormWatch.tolerance * 100).rounded())
    let within = Figure.quantity(StormWatch.peakWithin / 60)
    return page.section(
      "storm", "After the outage",
      """
      Peak: the highest rate over \(step) s in the \(within) min after an outage. Normal: the \
      median rate of the minutes before the outage.
      """,
      chart: plot?.chart(
        "Attempted and acknowledged uploads over time, with the outages",
        y: .fromZero(to: plot?.top() ?? 1, ticks: 4, text: Figure.quantity), unit: unit,
        marks: marks(storms)),
      tables: [.facts("Each outage as a table", Table(head: head, rows: storms.map(row)))],
      notes: [
        """
        Recovery: from the end of the outage to the first minute after the peak whose mean rate \
        and mean outbox are at most \(tolerance) % of their values before the outage; “—” if the \
        next outage or the end of the run came first. Rejected: uploads that failed after the \
        outage. Attempts per batch: from the start of the outage to the recovery.
        """
      ])
  }

  private var head: [String] { StormFigures.head + ["outbox before", "outbox max"] }

  private func row(_ storm: StormFigures) -> [String] {
    storm.cells
      + [storm.outboxBefore, storm.outboxMax].map {
        $0.map { Figure.quantity($0.rounded()) } ?? "—"
      }
  }

  private func marks(_ storms: [StormFigures]) -> [LineChart.Mark] {
    guard let axis = ClockAxis(files) else { return [] }
    return storms.indices.flatMap { i in
      [
        // Labels only the first outage, since a second label would overlap the first.
        LineChart.Mark(x: axis.seconds(storms[i].beginsAt), text: i == 0 ? "outage" : ""),
        LineChart.Mark(x: axis.seconds(storms[i].endsAt), text: ""),
      ]
    }
  }
}
