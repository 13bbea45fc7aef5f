internal import Capacity
internal import Figures

/// What a collector carries, and how that was found.
struct CapacitySections {
  private let capacity: CapacityRecord
  private let page: Page

  init(_ capacity: CapacityRecord, _ page: Page) {
    self.capacity = capacity
    self.page = page
  }

  var latency: HTML {
    let table = Table(head: ["", ""], rows: PlanWords.capacityRows(capacity), words: [1])
    guard capacity.source == .measured else {
      return page.section(
        "capacity", "Capacity", "It was given, not measured.", open: table, tables: [])
    }
    let limit = capacity.latencyLimitMicroseconds / 1_000
    return page.section(
      "capacity", "Latency and offered load",
      """
      The median p99 of the valid trials at each load. A collector carries a load when at most \
      \(Figure.percent(capacity.goal?.lossRatio ?? 0.01)) of its batches are refused, lost or \
      later than \(Figure.quantity(limit)) ms, nine of ten seconds are good, and nothing piles up.
      """,
      chart: hockeyStick, open: table, tables: [],
      notes: [
        """
        Batches of \(capacity.fixesPerBatch) fixes, encoded beforehand, over \
        \(capacity.connections) connections\(carrier); arrivals by chance, no retries; store: \
        \(capacity.store); a fresh collector for every trial; \
        \(capacity.isPinned ? "collector and generator on a core each" : "nothing pinned").
        """
      ])
  }

  private var carrier: HTML { capacity.carrier.map { " over \($0)" } ?? "" }

  /// By load: the trials that count.
  private var loads: [(load: Double, trials: [TrialRecord])] {
    let valid = capacity.trials.filter { trial in
      (trial.kind == .screening || trial.kind == .full) && trial.invalid == nil
    }
    return Dictionary(grouping: valid, by: \.load).map { ($0.key, $0.value) }
      .sorted { $0.0 < $1.0 }
  }

  private var hockeyStick: Chart? {
    let loads = loads
    guard let last = loads.last, loads.count > 1 else { return nil }
    let p99 = loads.map { load, trials in
      (load, trials.compactMap(\.p99Microseconds).median(.inverse).map { $0 / 1_000 })
    }
    let p50 = loads.map { load, trials in
      (load, trials.compactMap(\.p50Microseconds).median(.inverse).map { $0 / 1_000 })
    }
    let values = (p99 + p50).compactMap { $0.1 }
    let limit = capacity.latencyLimitMicroseconds / 1_000
    var marks: [LineChart.Mark] = []
    if let lower = capacity.lowerBound { marks.append(.init(x: lower, text: "lower bound")) }
    if let upper = capacity.upperBound { marks.append(.init(x: upper, text: "")) }
    return Chart(
      name: "hockeystick", title: "Latency over the offered load, with both bounds",
      body: .lines(
        LineChart(
          x: { .fromZero(to: last.load, ticks: $0, text: Figure.quantity) },
          y: .powersOfTen(
            from: values.min() ?? 1, to: max(values.max() ?? 10, limit), text: Figure.quantity),
          unit: "ms", xUnit: "offered batches/s",
          series: [
            LineChart.Series(
              name: "limit", ink: .grey, points: [(0, limit), (last.load, limit)], isDashed: true),
            LineChart.Series(name: "p99", ink: .vermilion, points: p99),
            LineChart.Series(name: "p50", ink: .blue, points: p50),
          ], marks: marks)))
  }

  /// What gets through, and what does not, of what is offered.
  var goodput: HTML {
    let loads = loads
    guard capacity.source == .measured, let last = loads.last, loads.count > 1 else { return "" }
    func medians(_ value: (TrialRecord) -> Double) -> [(x: Double, y: Double?)] {
      loads.map { ($0.load, $0.trials.map(value).median(.inverse)) }
    }
    return page.section(
      "goodput", "Goodput and offered load",
      "The median of the valid trials at each load; what is not acknowledged in time is no good.",
      chart: Chart(
        name: "goodput", title: "Batches acknowledged in time, over the offered load",
        body: .lines(
          LineChart(
            x: { .fromZero(to: last.load, ticks: $0, text: Figure.quantity) },
            y: .fromZero(to: last.load, ticks: 4, text: Figure.quantity), unit: "batches/s",
            xUnit: "offered batches/s",
            series: [
              LineChart.Series(
                name: "offered", ink: .grey, points: [(0, 0), (last.load, last.load)],
                isDashed: true),
              LineChart.Series(
                name: "in time", ink: .blue,
                points: medians { $0.offeredPerSecond * (1 - $0.lossRatio) }),
              LineChart.Series(
                name: "refused, lost or late", ink: .vermilion,
                points: medians { $0.offeredPerSecond * $0.lossRatio }),
            ]))),
      tables: [])
  }

  var law: HTML {
    guard let law = capacity.law else {
      return page.section(
        "law", "Scalability law", "There is none: \(capacity.lawNote).", tables: [])
    }
    let last = law.points.map(\.load).max() ?? 1
    let steps = (0...60).map { Double($0) / 60 * last }
    let peak: HTML =
      law.peakLoad.map { "more than \(PlanWords.ratio($0)) make it slower" }
      ?? (law.mayHavePeak
        ? "it is not certain that there is a load at which more makes it slower"
        : "there is no load at which more makes it slower")
    return page.section(
      "law", "Scalability law",
      """
      \(Figure.percent(law.alpha.value)) of the work is done one after the other, and \(peak). \
      \(capacity.lawNote). Nothing is said of loads beyond \
      \(Figure.quantity(last * LawFit.extrapolationMax)).
      """,
      chart: Chart(
        name: "law", title: "Throughput over \(law.loads), measured and fitted",
        body: .lines(
          LineChart(
            x: { .fromZero(to: last, ticks: $0, text: Figure.quantity) },
            y: .fromZero(
              to: law.points.map(\.throughput).max() ?? 1, ticks: 4, text: Figure.quantity),
            unit: capacity.unit, xUnit: law.loads,
            series: [
              LineChart.Series(
                name: "measured", ink: .blue, points: law.points.map { ($0.load, $0.throughput) }),
              LineChart.Series(
                name: "law", ink: .vermilion,
                points: steps.map { ($0, law.law.throughput(at: $0)) }, isDashed: true,
                band: steps.map { step in
                  let value = law.law.throughput(at: step)
                  let off = 1.96 * law.residual
                  return (step, max(0, value - off), value + off)
                }),
            ]))),
      tables: [.facts("Coefficients as a table", coefficients(law))])
  }

  private func coefficients(_ law: LawRecord) -> Table {
    Table(
      head: ["", "value", "from", "to"],
      rows: [("α, contention", law.alpha), ("β, coherency", law.beta), ("γ, one alone", law.gamma)]
        .map { name, ratio in
          [name] + [ratio.value, ratio.low, ratio.high].map { "\(Self.short($0))" }
        })
  }

  private static func short(_ value: Double) -> String {
    abs(value) >= 0.001 || value == 0 ? Figure.plain(value) : "\(Float(value))"
  }

  /// Every trial, with those that do not count.
  var trials: HTML {
    guard !capacity.trials.isEmpty else { return "" }
    let invalid = capacity.trials.count { $0.invalid != nil }
    let searches = Table(
      head: ["search", "lower bound", "upper bound", "probe ns"],
      rows: capacity.searches.enumerated().map { place, search in
        [
          "\(place + 1)", search.lowerBound.map(Figure.quantity) ?? "—",
          search.upperBound.map(Figure.quantity) ?? search.irregularity ?? "—",
          Figure.plain(search.probeNanoseconds),
        ]
      })
    return page.section(
      "trials", "Every trial",
      """
      \(capacity.trials.count) trials in \(capacity.searches.count) searches, of which \(invalid) \
      do not count. The searches stand beside the time of a piece of pure arithmetic: where that \
      took longer, the machine was slower.
      """,
      open: capacity.searches.isEmpty ? nil : searches,
      tables: [
        .facts(
          "The trials as a table",
          Table(
            head: TrialTable.head, rows: TrialTable.rows(capacity.trials), words: [11]))
      ])
  }
}
