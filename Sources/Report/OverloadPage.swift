internal import Core
package import Figures

extension OverloadRecord {
  package var report: Document {
    Document(
      title: "Collector under overload",
      blocks: [
        .html("<p><strong>\(answer)</strong></p>\n"), .text(perCore), .text(setting), rate, latency,
        memory, steps,
      ])
  }

  /// Sustainable rate, its share acknowledged under overload, and recovery time.
  package var answer: String {
    guard sustainable > 0 else { return "No rate was sustained." }
    let rate = Figure.grouped(Int(sustainable.rounded()))
    guard let share = goodputShare, let factor = offeredFactor else {
      return "Sustainable rate \(rate) batches/s; overload not measured."
    }
    let back = backAfterSeconds.map { "recovery after \($0) s" } ?? "no recovery"
    return """
      Sustainable rate \(rate) batches/s; under \(Self.number(factor)) × that load it acknowledges \
      \(Self.percent(share)) of it; \(back).
      """
  }

  package var perCore: String {
    guard let share = goodputShareOfCoreSecond else { return "" }
    return """
      Acknowledged per second of CPU time under overload: \(Self.percent(share)) of the value at \
      the sustainable rate.
      """
  }

  private var setting: String {
    """
    Pre-encoded batches of \(fixesPerBatch) fixes over \(connections) connections; Poisson \
    arrivals, no retries; store: \(store); \
    \(isPinned ? "collector and generator pinned to one core each" : "no CPU pinning"). Latency: \
    of acknowledged batches, from the intended time.
    """
  }

  /// At most one decimal.
  package static func percent(_ share: Double) -> String {
    "\(Figure.plain((share * 1_000).rounded() / 10)) %"
  }

  /// At most two decimals.
  package static func number(_ value: Double) -> String {
    Figure.plain((value * 100).rounded() / 100)
  }

  /// At most two decimals; a dash for nil.
  package static func milliseconds(_ microseconds: Double?) -> String {
    microseconds.map { "\(Figure.plain(($0 / 10).rounded() / 100)) ms" } ?? "—"
  }

  // MARK: Sections

  private var rate: Block {
    let top = seconds.map { Double($0.offered) }.max() ?? 1
    return .section(
      "rate", "Offered, acknowledged, refused",
      """
      Goodput under overload: \(goodputShare.map(Self.percent) ?? "—") of the sustainable rate.
      """,
      chart: chart(
        "Batches/s over time",
        .fromZero(to: top, ticks: 4, text: Figure.quantity), "batches/s",
        [
          curve("offered", .orange) { Double($0.offered) },
          curve("refused", .vermilion) { Double($0.shed) },
          curve("acknowledged", .blue) { Double($0.acknowledged) },
        ]),
      tables: [.curve("All seconds as a table", table)])
  }

  private var latency: Block {
    let values = seconds.compactMap(\.p99Microseconds).map { $0 / 1_000 }
    let milliseconds = latencyLimitMicroseconds / 1_000
    let limit = LineChart.Series(
      name: "limit", ink: .grey, points: [0, seconds.count].map { (Double($0), milliseconds) },
      isDashed: true)
    return .section(
      "latency", "Latency of accepted batches",
      """
      p99 under overload \(Self.milliseconds(overloadP99Microseconds)) (median of seconds); \
      \(goodSecondsShare.map(Self.percent) ?? "—") of its seconds within the limit of \
      \(Self.milliseconds(latencyLimitMicroseconds)).
      """,
      chart: chart(
        "p99 of each second",
        .powersOfTen(
          from: values.min() ?? 1, to: max(values.max() ?? 100, milliseconds),
          text: Figure.quantity), "ms",
        [limit, curve("p99", .blue) { second in second.p99Microseconds.map { $0 / 1_000 } }]))
  }

  private var memory: Block {
    let growth = memoryGrowth.map { Double($0) / 1e6 }
    let bytes = seconds.map { Double($0.collectorBytes) / 1e6 }
    return .section(
      "memory", "Memory of the collector",
      """
      Growth from the tenth to the last second of the overload: \
      \(growth.map(Self.number) ?? "—") MB.
      """,
      chart: chart(
        "Resident memory over time",
        .fromZero(to: bytes.max() ?? 1, ticks: 4, text: Figure.quantity), "MB",
        [curve("resident", .blue) { $0.collectorBytes > 0 ? Double($0.collectorBytes) / 1e6 : nil }]
      ))
  }

  private var steps: Block {
    func rounded(_ value: Double) -> String { Figure.grouped(Int(value.rounded())) }
    let table = Table(
      search,
      [
        "planned/s": { rounded($0.plannedPerSecond) },
        "offered/s": { rounded($0.offeredPerSecond) },
        "acknowledged/s": { rounded($0.acknowledgedPerSecond) },
        "p99": { Self.milliseconds($0.p99Microseconds) },
        "cores": { $0.collectorCores.map(Self.number) },
        "sustained": { $0.isSustained ? "yes" : "no" },
      ])
    return .section(
      "search", "Search for the sustainable rate",
      """
      Sustainable: at least 98 % acknowledged, at most 0.5 % refused, p99 within the limit.
      """, open: table)
  }

  private var table: Table {
    Table(
      seconds, words: [1],
      [
        "second": { "\($0.second)" }, "phase": { $0.phase.rawValue },
        "offered": { "\($0.offered)" }, "acknowledged": { "\($0.acknowledged)" },
        "refused": { "\($0.shed)" }, "failed": { "\($0.failed)" },
        "p50": { Self.milliseconds($0.p50Microseconds) },
        "p99": { Self.milliseconds($0.p99Microseconds) },
        "lag p99": { Self.milliseconds($0.lagP99Microseconds) },
        "cores": { Self.number($0.collectorCores) },
        "MB": { Figure.plain((Double($0.collectorBytes) / 1e6).rounded()) },
      ])
  }

  private func curve(
    _ name: String, _ ink: Ink, _ value: (Second) -> Double?
  ) -> LineChart.Series {
    LineChart.Series(
      name: name, ink: ink, points: seconds.map { (Double($0.second), value($0)) })
  }

  private func chart(
    _ title: String, _ y: Scale, _ unit: String, _ series: [LineChart.Series]
  ) -> Chart {
    let count = Double(max(1, seconds.count))
    let marks = [Phase.overload, .after].compactMap { phase in
      seconds.first { $0.phase == phase }.map {
        LineChart.Mark(x: Double($0.second), text: phase == .overload ? "overload" : "")
      }
    }
    return Chart(
      title: title,
      body: .lines(
        LineChart(
          x: { .fromZero(to: count, ticks: $0, text: Figure.quantity) }, y: y, unit: unit,
          xUnit: "s", series: series, marks: marks)))
  }
}
