internal import Core
internal import Figures

extension RunSections {
  /// The time line of a run: a panel for each matter, all with one cursor and one zoom.
  var time: HTML? {
    let plots = [throughput, .latency, .inFlight, .fresh, .pushes].compactMap(chart)
    guard !plots.isEmpty else { return nil }
    let tables: [HTML] = [
      rates.map { Fold.curve("Throughput as a table", $0.rows(Figure.quantity)).html },
      fresh.map { Fold.curve("Freshness as a table", $0.rows(Figure.percent)).html },
    ].compactMap(\.self)
    return """
      <section id="time">
      <h2>Time line</h2>
      \(page.panels(plots))\(outages)\(tables)</section>

      """
  }

  private var outages: HTML {
    ClockAxis(files).map { TimePanel.note(on: record.storm ?? [], $0.text) } ?? ""
  }

  private var isLive: Bool { record.latency.attempt.count > 0 }

  private var throughput: TimePanel {
    let unit = record.target == nil ? "batches" : "requests"
    var panel = TimePanel.throughput(unit: isLive ? "\(unit)/s" : "\(unit) per simulated second")
    if !files.timeline["failed_per_s"].contains(where: { ($0 ?? 0) > 0 }) {
      panel.columns.removeLast()
    }
    return panel
  }

  private var rates: TimelinePlot? { TimelinePlot(files, throughput.columns) }

  private var fresh: TimelinePlot? { TimelinePlot(files, TimePanel.fresh.columns) }

  private func chart(_ panel: TimePanel) -> Chart? {
    guard let plot = TimelinePlot(files, panel.columns), !panel.needsValue || plot.top() > 0 else {
      return nil
    }
    var chart = plot.chart(
      "\(panel.title) over the time of the run", y: panel.scale(plot),
      unit: panel.unit)
    if case .lines(var lines) = chart.body {
      lines.spans = spans
      chart.body = .lines(lines)
    }
    return chart
  }

  /// The outages for which uploads had to wait.
  private var spans: [LineChart.Span] {
    guard let axis = ClockAxis(files) else { return [] }
    return (record.storm ?? []).map {
      LineChart.Span(
        from: axis.seconds($0.beginsAt), to: axis.seconds($0.endsAt),
        text: $0.title)
    }
  }
}
