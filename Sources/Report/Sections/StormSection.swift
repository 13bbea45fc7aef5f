internal import Core
internal import Figures

extension LoadSections {
  var storm: HTML? {
    guard let storms = record.storm, let first = storms.first else { return nil }
    let isShown = files.timeline.has("attempts_per_s")
    let plot = TimelinePlot(
      files,
      [
        .init(key: "attempts_per_s", name: "attempts", ink: .orange),
        .init(key: "offered_per_s", name: "offered", ink: .grey, isDashed: isShown),
        .init(key: "acked_per_s", name: "acknowledged", ink: .blue),
      ])
    let isLive = record.latency.attempt.count > 0
    let unit = isLive ? "uploads/s" : "uploads per scenario second"
    let step = Figure.quantity(first.stepSeconds)
    let tolerance = Figure.quantity((StormWatch.tolerance * 100).rounded())
    let within = Figure.quantity(StormWatch.peakWithin / 60)
    return page.section(
      "storm", "After the outage",
      """
      When an outage ends, what waited comes at once: the peak is the highest rate of \(step) s in \
      the \(within) min after it, set beside the median of the minutes before.
      """,
      chart: plot?.chart(
        "storm", "Uploads tried and acknowledged over the time of the run, with the outages",
        y: .fromZero(to: plot?.top() ?? 1, ticks: 4, text: Figure.quantity), unit: unit,
        marks: marks(storms)),
      tables: [.facts("Each outage as a table", Table(head: head, rows: storms.map(row)))],
      notes: [
        """
        Back after: from the outage’s end to the first minute from the peak on whose mean rate and \
        mean outbox are at most \(tolerance) % of what they were before; — if the next outage or \
        the run’s end came first. Rejected: uploads that failed after the outage’s end. Attempts \
        a batch: from the outage’s begin until all is back.
        """
      ])
  }

  private var head: [String] { StormFigures.head + ["outbox before", "outbox at most"] }

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
        // A second word would stand on the first.
        LineChart.Mark(x: axis.seconds(storms[i].beginsAt), text: i == 0 ? "outage" : ""),
        LineChart.Mark(x: axis.seconds(storms[i].endsAt), text: ""),
      ]
    }
  }
}
