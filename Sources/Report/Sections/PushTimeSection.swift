internal import Core
internal import Figures

/// The time until a push is answered, and the effect of other values of the limit W.
extension RunSections {
  var pushTimes: HTML? {
    let curves = named
    guard !curves.isEmpty || (wake.windows?.count ?? 0) > 1 else { return nil }
    var tables: [Fold] = []
    if let windows, windows.rows.count > 1 {
      tables.append(.facts("Answers by time limit as a table", windows))
    }
    if !curves.isEmpty {
      tables.append(.facts("Quartiles as a table", quartiles(curves)))
      for (curve, name, _) in curves {
        tables.append(.curve("Curve as a table: \(name)", Self.points(curve)))
      }
    }
    return page.section(
      "push-time", "Time to answer a push", sentence, chart: chart(curves), tables: tables,
      notes: curves.isEmpty ? [] : [Self.note])
  }

  private static let note: HTML = """
    Kaplan–Meier curves with pointwise 95 % bands (Greenwood, log-log). A push is observed until \
    the longest limit, the phone’s next push or the end of the measured time. A curve levels off \
    at the share that is ever answered. Answered: any good position taken after the push (known \
    to a server). Caused: a position from the app’s wake for this push (known to the simulator \
    only). Without push: the same phone’s report if this push is withheld.
    """

  private var named: [(curve: RunRecord.Wake.Curve, name: String, ink: Ink)] {
    let all: [(RunRecord.Wake.Curve?, String, Ink)] = [
      (wake.curves?.answered, "answered", .blue),
      (wake.curves?.caused, "caused", .green),
      (wake.curves?.without, "without push", .grey),
    ]
    return all.compactMap { curve, name, ink in
      guard let curve, !curve.points.isEmpty else { return nil }
      return (curve, name, ink)
    }
  }

  // MARK: Words

  private var sentence: HTML {
    guard let curve = wake.curves?.answered ?? wake.curves?.caused else {
      return "The table shows the share of pushes answered by time limit."
    }
    let verb: HTML =
      wake.curves?.answered == nil ? "caused a position" : "were answered"
    let done: HTML =
      """
      \(Figure.percent(curve.reached)) of the pushes \(verb) within \
      \(Self.time(curve.lastSeconds))
      """
    let quartile = curve.lowerQuartileSeconds.map(Self.time)
    let half = curve.medianSeconds.map(Self.time)
    switch (quartile, half) {
    case (nil, _): return "\(done)."
    case (let quartile?, nil):
      return "\(done), 25 % within \(quartile)."
    case (let quartile?, let half?):
      return "\(done), 50 % within \(half), 25 % within \(quartile)."
    }
  }

  private static func time(_ seconds: Double) -> String {
    seconds < 120
      ? "\(Figure.quantity((seconds * 10).rounded() / 10)) s"
      : "\(Figure.quantity((seconds / 6).rounded() / 10)) min"
  }

  // MARK: Tables

  private var windows: Table? {
    wake.windows.map { windows in
      Table(
        head: ["limit", "judged", "answered", "caused", "uplift, points"],
        rows: windows.map { window in
          let isMain = window.withinSeconds == wake.withinSeconds
          return [
            Self.time(window.withinSeconds) + (isMain ? " (the scenario’s)" : ""),
            Figure.grouped(window.eligible), Words.ratio(window.answered),
            Words.ratio(window.caused), Words.points(window.uplift),
          ]
        })
    }
  }

  private func quartiles(
    _ curves: [(curve: RunRecord.Wake.Curve, name: String, ink: Ink)]
  ) -> Table {
    Table(
      head: ["", "pushes", "25 % within", "50 % within", "75 % within", "ever"],
      rows: curves.map { curve, name, _ in
        let times = [
          curve.lowerQuartileSeconds, curve.medianSeconds, curve.upperQuartileSeconds,
        ]
        return [name, Figure.grouped(curve.pushes)] + times.map { $0.map(Self.time) ?? "never" }
          + [Figure.percent(curve.reached)]
      })
  }

  private static func points(_ curve: RunRecord.Wake.Curve) -> Table {
    Table(
      head: ["time", "share", "95 % low", "95 % high", "at risk"],
      rows: curve.points.map {
        [
          time($0.seconds), Figure.percent($0.share), Figure.percent($0.low),
          Figure.percent($0.high), Figure.grouped($0.atRisk),
        ]
      })
  }

  // MARK: The picture

  private func chart(
    _ curves: [(curve: RunRecord.Wake.Curve, name: String, ink: Ink)]
  ) -> Chart? {
    guard let last = curves.map(\.curve.lastSeconds).max(), last > 0 else { return nil }
    let marks = wake.withinSeconds.map {
      [LineChart.Mark(x: $0, text: "limit \(Self.time($0))")]
    }
    return Chart(
      title: "Share of pushes answered, by time since the push",
      body: .lines(
        LineChart(
          x: { ticks in
            last >= 240
              ? .fromZero(to: last / 60, ticks: ticks, text: Figure.quantity).times(60)
              : .fromZero(to: last, ticks: ticks, text: Figure.quantity)
          }, y: .share, unit: "share of pushes",
          xUnit: last >= 240 ? "minutes since the push" : "seconds since the push",
          series: curves.map { curve, name, ink in
            .init(
              name: name, ink: ink, points: Self.steps(curve),
              band: ink == .grey ? [] : Self.band(curve))
          }, marks: marks ?? [])))
  }

  private static func steps(_ curve: RunRecord.Wake.Curve) -> [(x: Double, y: Double?)] {
    var points: [(x: Double, y: Double?)] = [(0, 0)]
    var share = 0.0
    for step in curve.points {
      points.append((step.seconds, share))
      share = step.share
      points.append((step.seconds, share))
    }
    points.append((curve.lastSeconds, share))
    return points
  }

  private static func band(
    _ curve: RunRecord.Wake.Curve
  ) -> [(x: Double, low: Double, high: Double)] {
    var edge: [(x: Double, low: Double, high: Double)] = []
    for step in curve.points {
      if let before = edge.last { edge.append((step.seconds, before.low, before.high)) }
      edge.append((step.seconds, step.low, step.high))
    }
    if let before = edge.last { edge.append((curve.lastSeconds, before.low, before.high)) }
    return edge
  }
}
