internal import Capacity
internal import Core

extension CapacityRecord {
  var latency: Block {
    guard source == .measured else {
      return .section(
        "capacity", "Capacity", "The capacity was given, not measured.", open: facts)
    }
    let limit = latencyLimitMicroseconds / 1_000
    return .section(
      "capacity", "Latency and offered load",
      """
      Median p99 of the valid trials at each load. A load is sustained if at most \
      \(Figure.percent(goal?.lossRatio ?? 0.01)) of batches are refused, lost or later than \
      \(Figure.quantity(limit)) ms, 90 % of seconds are good, and no backlog grows.
      """,
      chart: hockeyStick, open: facts,
      notes: [
        """
        Pre-encoded batches of \(fixesPerBatch) fixes over \(connections) \
        connections\(carrierWords); Poisson arrivals, no retries; store: \(store); a new collector \
        for every trial; \
        \(isPinned ? "collector and generator pinned to one core each" : "no CPU pinning").
        """
      ])
  }

  private var carrierWords: String { carrier.map { " over \($0)" } ?? "" }

  private var loads: [(load: Double, trials: [TrialRecord])] {
    let valid = trials.filter { trial in
      (trial.kind == .screening || trial.kind == .full) && trial.invalid == nil
    }
    return Dictionary(grouping: valid, by: \.load).map { ($0.key, $0.value) }
      .sorted { $0.0 < $1.0 }
  }

  private func medians(_ value: (TrialRecord) -> Double?) -> [(x: Double, y: Double?)] {
    loads.map { ($0.load, $0.trials.compactMap(value).median(.inverse)) }
  }

  private var hockeyStick: Chart? {
    let loads = self.loads
    guard let last = loads.last, loads.count > 1 else { return nil }
    let p99 = medians { $0.p99Microseconds.map { $0 / 1_000 } }
    let p50 = medians { $0.p50Microseconds.map { $0 / 1_000 } }
    let values = (p99 + p50).compactMap { $0.1 }
    let limit = latencyLimitMicroseconds / 1_000
    var marks: [LineChart.Mark] = []
    if let lower = lowerBound { marks.append(.init(x: lower, text: "lower bound")) }
    if let upper = upperBound { marks.append(.init(x: upper, text: "")) }
    return Chart(
      title: "Latency by offered load, with both bounds",
      body: .lines(
        LineChart(
          x: { .fromZero(to: last.load, ticks: $0, text: Figure.quantity) },
          y: .powersOfTen(
            from: values.min() ?? 1, to: max(values.max() ?? 10, limit), text: Figure.quantity),
          unit: "ms", xUnit: "offered batches/s",
          series: [
            LineChart.Series(
              name: "limit", ink: .grey, points: [(0, limit), (last.load, limit)]),
            LineChart.Series(name: "p99", ink: .vermilion, points: p99),
            LineChart.Series(name: "p50", ink: .blue, points: p50),
          ], marks: marks)))
  }

  var goodput: Block? {
    let loads = self.loads
    guard source == .measured, let last = loads.last, loads.count > 1 else { return nil }
    return .section(
      "goodput", "Goodput and offered load",
      "Median of the valid trials at each load; late acknowledgements do not count.",
      chart: Chart(
        title: "Batches acknowledged in time, by offered load",
        body: .lines(
          LineChart(
            x: { .fromZero(to: last.load, ticks: $0, text: Figure.quantity) },
            y: .fromZero(to: last.load, ticks: 4, text: Figure.quantity), unit: "batches/s",
            xUnit: "offered batches/s",
            series: [
              LineChart.Series(
                name: "offered", ink: .grey, points: [(0, 0), (last.load, last.load)]),
              LineChart.Series(
                name: "in time", ink: .blue,
                points: medians { $0.offeredPerSecond * (1 - $0.lossRatio) }),
              LineChart.Series(
                name: "refused, lost or late", ink: .vermilion,
                points: medians { $0.offeredPerSecond * $0.lossRatio }),
            ]))))
  }

  var lawSection: Block {
    guard let law else {
      return .section(
        "law", "Scalability law", "The scalability law was \(lawNote).")
    }
    let last = law.points.map(\.load).max() ?? 1
    let steps = (0...60).map { Double($0) / 60 * last }
    let peak =
      law.peakLoad.map { "throughput peaks at \($0.withEnds) \(law.loads)" }
      ?? (law.mayHavePeak ? "a peak of throughput is uncertain" : "throughput has no peak")
    return .section(
      "law", "Scalability law",
      """
      \(Figure.percent(law.alpha.value)) of the work is serial; \(peak). \(lawNote). The law is \
      valid up to a load of \(Figure.quantity(last * LawFit.extrapolationMax)).
      """,
      chart: Chart(
        title: "Throughput by \(law.loads), measured and fitted",
        body: .lines(
          LineChart(
            x: { .fromZero(to: last, ticks: $0, text: Figure.quantity) },
            y: .fromZero(
              to: law.points.map(\.throughput).max() ?? 1, ticks: 4, text: Figure.quantity),
            unit: unit, xUnit: law.loads,
            series: [
              LineChart.Series(
                name: "measured", ink: .blue, points: law.points.map { ($0.load, $0.throughput) }),
              LineChart.Series(
                name: "law", ink: .vermilion,
                points: steps.map { ($0, law.law.throughput(at: $0)) },
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
      head: ["", "value", "low", "high"],
      rows: [("α, contention", law.alpha), ("β, coherency", law.beta), ("γ, at load 1", law.gamma)]
        .map { name, ratio in
          [name] + [ratio.value, ratio.low, ratio.high].map { "\(Self.short($0))" }
        })
  }

  private static func short(_ value: Double) -> String {
    abs(value) >= 0.001 || value == 0 ? Figure.plain(value) : "\(Float(value))"
  }

  var trialSection: Block? {
    guard !trials.isEmpty else { return nil }
    let invalid = trials.count { $0.invalid != nil }
    let found = Table(
      searches.enumerated(),
      [
        "search": { "\($0.offset + 1)" },
        "lower bound": { $0.element.lowerBound.map(Figure.quantity) },
        "upper bound": { $0.element.upperBound.map(Figure.quantity) ?? $0.element.irregularity },
        "probe, ns": { Figure.plain($0.element.probeNanoseconds) },
      ])
    return .section(
      "trials", "Trials",
      """
      \(trials.count) trials in \(searches.count) searches, \(invalid) of them invalid. Probe: \
      time of a fixed calculation; a larger value means a slower machine.
      """,
      open: searches.isEmpty ? nil : found,
      tables: [
        .facts(
          "All trials",
          Table(trials: trials))
      ])
  }
}
