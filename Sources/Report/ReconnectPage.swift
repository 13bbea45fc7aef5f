internal import Core
package import Figures

extension ReconnectRecord {
  package var report: Document {
    Document(
      title: "Reconnect storm over TLS",
      blocks: storms.map { .html("<p><strong>\(answer($0))</strong></p>\n") } + [
        .text(setting), handshakes, served, cores,
      ])
  }

  /// Time until all phones are served, handshakes per second, and CPU time per phone on both sides.
  package func answer(_ storm: Storm) -> String {
    let begin = storm.hasTickets ? "With tickets" : "Without tickets"
    guard let after = storm.servedAfter, let rate = storm.handshakesPerSecond else {
      return "\(begin): \(Figure.grouped(storm.served)) of \(Figure.grouped(phones)) phones served."
    }
    let each = 1e6 / Double(max(1, phones))
    return """
      \(begin): \(Figure.grouped(phones)) phones served in \(Self.seconds(after)), \
      \(Figure.grouped(Int(rate.rounded()))) handshakes/s, \(Figure.grouped(storm.resumed)) of \
      \(Figure.grouped(storm.full + storm.resumed)) resumed. CPU time per phone: collector \
      \(Figure.time(storm.collectorSeconds * each)), generator \
      \(Figure.time(storm.generatorSeconds * each)).
      """
  }

  private var setting: String {
    """
    All phones connect at the same time over \(carrier) and TLS 1.3 with P-256, one connection and \
    one upload of 20 fixes each, at most \(Figure.grouped(atOnce)) connections at once. The \
    collector stores nothing; \
    \(isPinned ? "collector and generator pinned to one core each" : "no CPU pinning"). A client \
    handshake costs more than a server handshake: if only the generator’s core is full, more \
    generators shorten the storm.
    """
  }

  private static func seconds(_ value: Double) -> String {
    "\(Figure.plain((value * 10).rounded() / 10)) s"
  }

  // MARK: Sections

  private var handshakes: Block {
    let curves = storms.map { storm in
      curve(storm) { step, length in Double(step.full + step.resumed) / length }
    }
    return .section(
      "handshakes", "Handshakes/s", "Full and resumed handshakes, from the start of the storm.",
      chart: chart("Handshakes/s over time", "handshakes/s", curves),
      tables: [.curve("Both storms as a table", table)])
  }

  private var served: Block {
    let curves = storms.map { storm in curve(storm) { step, _ in Double(step.served) } }
    return .section(
      "served", "Phones served",
      "A phone is served when its upload is acknowledged.",
      chart: chart("Phones served over time", "phones", curves))
  }

  private var cores: Block {
    let curves = storms.flatMap { storm in
      [
        curve(storm, "collector") { step, _ in step.collectorCores },
        curve(storm, "generator", isDashed: true) { step, _ in step.generatorCores },
      ]
    }
    let table = Table(
      storms,
      [
        "": { name($0) }, "all served in": { $0.servedAfter.map(Self.seconds) },
        "full handshakes": { Figure.grouped($0.full) }, "resumed": { Figure.grouped($0.resumed) },
        "retries": { Figure.grouped($0.retries) },
        "CPU, collector": { Self.seconds($0.collectorSeconds) },
        "CPU, generator": { Self.seconds($0.generatorSeconds) },
      ])
    return .section(
      "cores", "CPU of both sides",
      "CPU use in cores.",
      chart: chart("CPU of collector and generator over time", "cores", curves),
      open: table)
  }

  private func name(_ storm: Storm) -> String {
    storm.hasTickets ? "with tickets" : "without tickets"
  }

  private func curve(
    _ storm: Storm, _ what: String = "", isDashed: Bool = false,
    _ value: (Step, Double) -> Double
  ) -> LineChart.Series {
    var before = 0.0
    let points: [(x: Double, y: Double?)] = storm.steps.map { step in
      defer { before = step.second }
      return (step.second, value(step, max(step.second - before, 1e-3)))
    }
    return LineChart.Series(
      name: what.isEmpty ? name(storm) : "\(what), \(name(storm))",
      ink: storm.hasTickets ? .blue : .vermilion, points: points, isDashed: isDashed)
  }

  private var table: Table {
    Table(
      storms.flatMap { storm in storm.steps.map { (storm, $0) } },
      [
        "storm": { name($0.0) }, "until": { Self.seconds($0.1.second) },
        "full": { "\($0.1.full)" }, "resumed": { "\($0.1.resumed)" },
        "served": { "\($0.1.served)" },
        "collector": { Figure.plain(($0.1.collectorCores * 100).rounded() / 100) },
        "generator": { Figure.plain(($0.1.generatorCores * 100).rounded() / 100) },
      ])
  }

  private func chart(
    _ title: String, _ unit: String, _ series: [LineChart.Series]
  ) -> Chart {
    let points = series.flatMap(\.points)
    return Chart(
      title: title,
      body: .lines(
        LineChart(
          x: { .fromZero(to: points.map(\.x).max() ?? 1, ticks: $0, text: Figure.quantity) },
          y: .fromZero(to: points.compactMap(\.y).max() ?? 1, ticks: 4, text: Figure.quantity),
          unit: unit, xUnit: "s", series: series)))
  }
}
