package import Figures

/// Renders what `flotilla-lab bench overload` measured: a pure function of `overload.json` and of
/// what draws its pictures.
package func overloadHTML(_ record: OverloadRecord, plot: Plotter?) -> String {
  let sections = RecordSections(record, Page(plot: plot))
  return document(
    title: "A collector that is offered too much",
    """
    <h1>A collector that is offered too much</h1>
    <p><strong>\(OverloadWords.answer(record))</strong></p>
    <p>\(OverloadWords.perCore(record))</p>
    <p>\(OverloadWords.setting(record))</p>
    \(sections.rate)\(sections.latency)\(sections.memory)\(sections.search)
    """)
}

/// Sentences for page and terminal.
package enum OverloadWords {
  /// Returns the sentence with the sustainable rate, the share of it acknowledged under overload,
  /// and the seconds until the collector was back to normal.
  package static func answer(_ record: OverloadRecord) -> String {
    guard record.sustainable > 0 else { return "No rate was sustained." }
    let rate = Figure.grouped(Int(record.sustainable.rounded()))
    guard let share = record.goodputShare, let factor = record.offeredFactor else {
      return "It sustains \(rate) batches/s; the overload was not measured."
    }
    let back = record.backAfterSeconds.map { "\($0) s after it all was normal" }
    return """
      It sustains \(rate) batches/s; offered \(number(factor)) times that it acknowledges \
      \(percent(share)) of it, and \(back ?? "after it nothing became normal again").
      """
  }

  /// What the share comes to where the machine gave the collector less than in the search.
  package static func perCore(_ record: OverloadRecord) -> String {
    guard let share = record.goodputShareOfCoreSecond else { return "" }
    return """
      For each second of CPU time that it got, it acknowledged \(percent(share)) of what it \
      does at the sustainable rate.
      """
  }

  static func setting(_ record: OverloadRecord) -> String {
    """
    Batches of \(record.fixesPerBatch) fixes, encoded beforehand, over \(record.connections) \
    connections; Poisson arrivals, no retries; store: \(record.store); \
    \(record.isPinned ? "collector and generator on a core each" : "nothing pinned"). Latency is \
    that of acknowledged batches, from the intended instant on.
    """
  }

  /// Returns a share (0 … 1) as a percentage with at most one decimal.
  package static func percent(_ share: Double) -> String {
    "\(Figure.plain((share * 1_000).rounded() / 10)) %"
  }

  /// Returns a number with at most two decimals.
  package static func number(_ value: Double) -> String {
    Figure.plain((value * 100).rounded() / 100)
  }

  /// Returns a duration given in microseconds as milliseconds with at most two decimals; nil gives
  /// a dash.
  package static func milliseconds(_ microseconds: Double?) -> String {
    microseconds.map { "\(Figure.plain(($0 / 10).rounded() / 100)) ms" } ?? "—"
  }
}

extension RecordSections where Record == OverloadRecord {
  fileprivate var rate: HTML {
    let top = record.seconds.map { Double($0.offered) }.max() ?? 1
    return page.section(
      "rate", "Offered, acknowledged, refused",
      """
      Goodput of the overload from its first second on, as a share of the sustainable rate: \
      \(record.goodputShare.map(OverloadWords.percent) ?? "—").
      """,
      chart: chart(
        "rate", "Batches a second over the course",
        .fromZero(to: top, ticks: 4, text: Figure.quantity), "batches/s",
        [
          curve("offered", .orange) { Double($0.offered) },
          curve("refused", .vermilion) { Double($0.shed) },
          curve("acknowledged", .blue) { Double($0.acknowledged) },
        ]),
      tables: [.curve("Every second as a table", table)])
  }

  fileprivate var latency: HTML {
    let values = record.seconds.compactMap(\.p99Microseconds).map { $0 / 1_000 }
    let low = values.min() ?? 1
    let high = max(values.max() ?? 100, record.latencyLimitMicroseconds / 1_000)
    let limit = LineChart.Series(
      name: "limit", ink: .grey,
      points: [0, record.seconds.count].map {
        (Double($0), record.latencyLimitMicroseconds / 1_000)
      }, isDashed: true)
    return page.section(
      "latency", "Latency of what was accepted",
      """
      The median second of the overload had a p99 of \
      \(OverloadWords.milliseconds(record.overloadP99Microseconds)); \
      \(record.goodSecondsShare.map(OverloadWords.percent) ?? "—") of its seconds were within the \
      limit of \(OverloadWords.milliseconds(record.latencyLimitMicroseconds)).
      """,
      chart: chart(
        "latency", "p99 of each second of the course",
        .powersOfTen(from: low, to: high, text: Figure.quantity), "ms",
        [limit, curve("p99", .blue) { second in second.p99Microseconds.map { $0 / 1_000 } }]),
      tables: [])
  }

  fileprivate var memory: HTML {
    let growth = record.memoryGrowth.map { Double($0) / 1e6 }
    let bytes = record.seconds.map { Double($0.collectorBytes) / 1e6 }
    return page.section(
      "memory", "Memory of the collector",
      """
      From the tenth second of the overload to its last it grew by \
      \(growth.map(OverloadWords.number) ?? "—") MB.
      """,
      chart: chart(
        "memory", "Resident memory over the course",
        .fromZero(to: bytes.max() ?? 1, ticks: 4, text: Figure.quantity), "MB",
        [curve("resident", .blue) { $0.collectorBytes > 0 ? Double($0.collectorBytes) / 1e6 : nil }]
      ),
      tables: [])
  }

  fileprivate var search: HTML {
    let rows = record.search.map { step in
      [
        Figure.grouped(Int(step.plannedPerSecond.rounded())),
        Figure.grouped(Int(step.offeredPerSecond.rounded())),
        Figure.grouped(Int(step.acknowledgedPerSecond.rounded())),
        OverloadWords.milliseconds(step.p99Microseconds),
        step.collectorCores.map(OverloadWords.number) ?? "—", step.isSustained ? "yes" : "no",
      ]
    }
    return page.section(
      "search", "How the sustainable rate was found",
      """
      The highest rate of which at least 98 % was acknowledged and at most 0.5 % refused, with a \
      p99 within the limit.
      """,
      open: Table(
        head: ["planned/s", "offered/s", "acknowledged/s", "p99", "cores", "sustained"],
        rows: rows),
      tables: [])
  }

  private var table: Table {
    let head = [
      "second", "phase", "offered", "acknowledged", "refused", "failed", "p50", "p99", "lag p99",
      "cores", "MB",
    ]
    let rows = record.seconds.map { second in
      [
        "\(second.second)", second.phase.rawValue, "\(second.offered)", "\(second.acknowledged)",
        "\(second.shed)", "\(second.failed)", OverloadWords.milliseconds(second.p50Microseconds),
        OverloadWords.milliseconds(second.p99Microseconds),
        OverloadWords.milliseconds(second.lagP99Microseconds),
        OverloadWords.number(second.collectorCores),
        Figure.plain((Double(second.collectorBytes) / 1e6).rounded()),
      ]
    }
    return Table(head: head, rows: rows, words: [1])
  }

  private func curve(
    _ name: String, _ ink: Ink, _ value: (OverloadRecord.Second) -> Double?
  ) -> LineChart.Series {
    LineChart.Series(
      name: name, ink: ink, points: record.seconds.map { (Double($0.second), value($0)) })
  }

  private func chart(
    _ name: String, _ title: String, _ y: Scale, _ unit: String, _ series: [LineChart.Series]
  ) -> Chart {
    let count = Double(max(1, record.seconds.count))
    let marks = [OverloadRecord.Phase.overload, .after].compactMap { phase in
      record.seconds.first { $0.phase == phase }.map {
        LineChart.Mark(x: Double($0.second), text: phase == .overload ? "overload" : "")
      }
    }
    return Chart(
      name: name, title: title,
      body: .lines(
        LineChart(
          x: { .fromZero(to: count, ticks: $0, text: Figure.quantity) }, y: y, unit: unit,
          xUnit: "s", series: series, marks: marks)))
  }
}
