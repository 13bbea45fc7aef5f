internal import Core
internal import Figures

/// The time line of a run: one panel for each matter, all with one cursor and one zoom.
struct TimeSection: RunSections {
  let files: RunFiles
  let page: Page

  var html: HTML? {
    let plots = [throughput, latency, inFlight, fresh, pushes].compactMap(\.self)
    guard !plots.isEmpty else { return nil }
    let figures: [HTML] = plots.enumerated().map { i, chart in
      page.figure(chart, panel: i == plots.count - 1 ? "panel last" : "panel")
    }
    let tables: [HTML] = [
      rates.map { Fold.curve("Throughput as a table", $0.rows(Figure.quantity)).html },
      freshness.map { Fold.curve("Freshness as a table", $0.rows(Figure.percent)).html },
    ].compactMap(\.self)
    let hint: HTML =
      page.isInteractive
      ? """
      <p class="note">Drag to zoom, double-click to show all; arrow keys move the cursor, + and − \
      zoom.</p>

      """ : ""
    return """
      <section id="time">
      <h2>Time line</h2>
      <div class="panels">
      \(figures)</div>
      \(hint)\(tables)</section>

      """
  }

  private var isLive: Bool { record.latency.attempt.count > 0 }

  private var rates: TimelinePlot? {
    var columns: [TimelinePlot.Column] = [
      .init(key: "offered_per_s", name: "offered", ink: .orange),
      .init(key: "acked_per_s", name: "acknowledged", ink: .blue),
    ]
    if files.timeline["failed_per_s"].contains(where: { ($0 ?? 0) > 0 }) {
      columns.append(.init(key: "failed_per_s", name: "failed", ink: .vermilion))
    }
    return TimelinePlot(files, columns)
  }

  private var throughput: Chart? {
    let unit = record.target == nil ? "batches" : "requests"
    return rates.map { plot in
      panel(
        "throughput", "Throughput", plot,
        y: .fromZero(to: plot.top(), ticks: 3, text: Figure.quantity),
        unit: isLive ? "\(unit)/s" : "\(unit) per simulated second")
    }
  }

  private var latency: Chart? {
    TimelinePlot(
      files,
      [
        .init(key: "response_p50_us", name: "p50", ink: .blue),
        .init(key: "response_p99_us", name: "p99", ink: .vermilion),
      ]
    ).map { plot in
      panel(
        "latency-time", "Response time", plot,
        y: .powersOfTen(
          from: max(plot.bottom, 1), to: plot.top(), form: .time, text: { Figure.time($0) }),
        unit: "response")
    }
  }

  private var inFlight: Chart? {
    TimelinePlot(files, [.init(key: "in_flight", name: "in flight", ink: .green)]).map { plot in
      panel(
        "in-flight", "Uploads in flight", plot,
        y: .fromZero(to: plot.top(), ticks: 3, text: Figure.quantity), unit: "in flight")
    }
  }

  private var freshness: TimelinePlot? {
    TimelinePlot(
      files,
      [
        .init(key: "fresh_reachable_now", name: "reachable", ink: .blue),
        .init(key: "fresh_moving_now", name: "moving", ink: .vermilion),
        .init(key: "fresh_installed_now", name: "installed", ink: .grey),
      ])
  }

  private var fresh: Chart? {
    freshness.map { panel("fresh-time", "Fresh phones", $0, y: .share, unit: "fresh phones") }
  }

  private var pushes: Chart? {
    TimelinePlot(
      files,
      [
        .init(key: "pushes_requested", name: "requested", ink: .grey),
        .init(key: "pushes_answered", name: "answered", ink: .green),
      ]
    ).flatMap { plot in
      plot.top() == 0
        ? nil
        : panel(
          "pushes-time", "Silent pushes since the start", plot,
          y: .fromZero(to: plot.top(), ticks: 3, text: Figure.quantity), unit: "pushes in total")
    }
  }

  private func panel(
    _ name: String, _ title: String, _ plot: TimelinePlot, y: Scale, unit: String
  ) -> Chart {
    var chart = plot.chart(name, "\(title) over the time of the run", y: y, unit: unit)
    if case .lines(var lines) = chart.body {
      lines.isPanel = true
      lines.spans = spans
      chart.body = .lines(lines)
    }
    return chart
  }

  /// The outages that uploads had to wait for.
  private var spans: [LineChart.Span] {
    guard let axis = ClockAxis(files) else { return [] }
    return (record.storm ?? []).map {
      LineChart.Span(
        from: axis.seconds($0.beginsAt), to: axis.seconds($0.endsAt),
        text: $0.kind.replacing("-", with: " "))
    }
  }
}
