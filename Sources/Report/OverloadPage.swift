internal import Core
package import Figures

extension OverloadRecord {
  package var report: Document {
    Document(
      title: "Collector under overload",
      head: PageHead(
        Facts(self), badge, answer: answer, perCore, tiles: tiles),
      blocks: [course, steps, .note(setting)])
  }

  private var badge: PageHead.Badge? {
    sustainable > 0 ? nil : PageHead.Badge(text: "nothing sustained", isGood: false)
  }

  private var tiles: [Tile?] {
    func curve(_ value: (Second) -> Double?) -> HTML? { TileCurve.html(seconds.map(value)) }
    let limit = Self.milliseconds(latencyLimitMicroseconds)
    return [
      Tile(
        id: "sustainable", title: "Sustainable rate",
        value: "\(Figure.quantity(sustainable.rounded())) batches/s",
        note: .text("at a p99 within \(limit)")),
      goodputShare.map { share in
        Tile(
          id: "goodput", title: "Goodput under overload", value: .text(Self.percent(share)),
          note: .text(
            "of the sustainable rate\(offeredFactor.map { ", at \(Self.number($0)) × that load" } ?? "")"
          ),
          curve: curve { Double($0.acknowledged) })
      },
      goodputShareOfCoreSecond.map {
        Tile(
          id: "core", title: "Goodput per CPU second", value: .text(Self.percent($0)),
          note: "of the value at the sustainable rate", curve: curve { $0.collectorCores })
      },
      overloadP99Microseconds.map { p99 in
        let isMet = p99 <= latencyLimitMicroseconds
        return Tile(
          id: "p99", title: "p99 under overload", value: .text(Self.milliseconds(p99)),
          level: .init(
            text: .text("limit \(limit)"), word: isMet ? "met" : "failed", isMet: isMet),
          note: .text(
            "of accepted batches; \(goodSecondsShare.map(Self.percent) ?? "—") of seconds within it"
          ),
          curve: curve(\.p99Microseconds))
      },
      seconds(of: .after).isEmpty
        ? nil
        : Tile(
          id: "recovery", title: "Recovery",
          value: .text(backAfterSeconds.map { "\($0) s" } ?? "none"), note: "after the overload"),
      memoryGrowth.map {
        Tile(
          id: "memory", title: "Memory growth", value: .text("\(Self.number(Double($0) / 1e6)) MB"),
          note: "from the tenth to the last second of the overload",
          curve: curve { $0.collectorBytes > 0 ? Double($0.collectorBytes) : nil })
      },
    ]
  }

  /// A sentence on sustainable rate, its share acknowledged under overload, and recovery time.
  package var answer: String {
    guard sustainable > 0 else { return "No rate was sustained." }
    let rate = Figure.quantity(sustainable.rounded())
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

  /// Returns a percentage with at most one decimal.
  package static func percent(_ share: Double) -> String {
    "\(Figure.plain((share * 1_000).rounded() / 10)) %"
  }

  /// Returns a number with at most two decimals.
  package static func number(_ value: Double) -> String {
    Figure.plain((value * 100).rounded() / 100)
  }

  /// Returns milliseconds with at most two decimals, or a dash for nil.
  package static func milliseconds(_ microseconds: Double?) -> String {
    microseconds.map { "\(Figure.plain(($0 / 10).rounded() / 100)) ms" } ?? "—"
  }

  // MARK: Sections

  private var course: Block? {
    guard !seconds.isEmpty else { return nil }
    let limit = latencyLimitMicroseconds
    let latencies = seconds.compactMap(\.p99Microseconds)
    let flat = LineChart.Series(
      name: "limit", ink: .grey, points: [0, seconds.count].map { (Double($0), limit) })
    let bytes = seconds.map { Double($0.collectorBytes) / 1e6 }
    return .section(
      "course", "Time line",
      [
        .panels([
          chart(
            "Batches/s over time",
            .fromZero(
              to: seconds.map { Double($0.offered) }.max() ?? 1, ticks: 3, text: Figure.quantity),
            "batches/s",
            [
              curve("offered", .orange) { Double($0.offered) },
              curve("refused", .vermilion) { Double($0.shed) },
              curve("acknowledged", .blue) { Double($0.acknowledged) },
            ]),
          chart(
            "p99 of each second",
            .powersOfTen(
              from: latencies.min() ?? 1_000, to: max(latencies.max() ?? 100_000, limit),
              form: .time, text: Figure.time), "p99 of accepted batches",
            [flat, curve("p99", .blue, \.p99Microseconds)]),
          chart(
            "Resident memory over time",
            .fromZero(to: bytes.max() ?? 1, ticks: 3, text: Figure.quantity), "MB",
            [
              curve("resident", .blue) {
                $0.collectorBytes > 0 ? Double($0.collectorBytes) / 1e6 : nil
              }
            ]),
        ]),
        .fold(.curve("All seconds as a table", table)),
      ])
  }

  private var steps: Block {
    func rounded(_ value: Double) -> String { Figure.quantity(value.rounded()) }
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
    let overload = seconds(of: .overload)
    let spans = [overload.first, overload.last].compactMap { $0.map { Double($0.second) } }
    return Chart(
      title: title,
      body: .lines(
        LineChart(
          x: { .fromZero(to: count, ticks: $0, form: .seconds, text: Figure.quantity) }, y: y,
          unit: unit,
          xUnit: "s", series: series,
          spans: spans.count == 2 ? [.init(from: spans[0], to: spans[1] + 1, text: "overload")] : []
        )))
  }
}
