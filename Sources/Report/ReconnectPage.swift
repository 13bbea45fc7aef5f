internal import Core
package import Figures

extension ReconnectRecord {
  package var report: Document {
    Document(
      title: "A fleet that comes back at once",
      blocks: storms.map { .html("<p><strong>\(answer($0))</strong></p>\n") } + [
        .text(setting), handshakes, served, cores,
      ])
  }

  /// A sentence with the time until all were served, the handshakes a second, and both sides' CPU
  /// time for each phone.
  package func answer(_ storm: Storm) -> String {
    let begin = storm.hasTickets ? "With tickets" : "Without tickets"
    guard let after = storm.servedAfter, let rate = storm.handshakesPerSecond else {
      return """
        \(begin) \(Figure.grouped(storm.served)) of \(Figure.grouped(phones)) phones were served.
        """
    }
    let each = 1e6 / Double(max(1, phones))
    return """
      \(begin) \(Figure.grouped(phones)) phones were served after \(Self.seconds(after)): \
      \(Figure.grouped(Int(rate.rounded()))) handshakes a second, \
      \(Figure.grouped(storm.resumed)) of \(Figure.grouped(storm.full + storm.resumed)) resumed; a \
      phone took the collector \(Figure.time(storm.collectorSeconds * each)) and the generator \
      \(Figure.time(storm.generatorSeconds * each)) of CPU time.
      """
  }

  private var setting: String {
    """
    All phones come at one instant, each with a connection of its own over \(carrier) and \
    TLS 1.3 with P-256, an upload of 20 fixes and its ack; at most \
    \(Figure.grouped(atOnce)) connections at once; the collector stores nothing; \
    \(isPinned ? "collector and generator on a core each" : "nothing pinned"). A client’s \
    handshake costs more than a server’s: where the generator’s core is full and the collector’s \
    is not, more generators would make the storm shorter.
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
      "handshakes", "Handshakes a second",
      "Full and resumed ones together, from the instant at which the phones came.",
      chart: chart("handshakes", "Handshakes a second over the storm", "handshakes/s", curves),
      tables: [.curve("Both storms as a table", table)])
  }

  private var served: Block {
    let curves = storms.map { storm in curve(storm) { step, _ in Double(step.served) } }
    return .section(
      "served", "Phones that have been served",
      "A phone is served when its upload has been acknowledged.",
      chart: chart("served", "Phones served since the storm began", "phones", curves))
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
        "": { name($0) }, "all served after": { $0.servedAfter.map(Self.seconds) },
        "full handshakes": { Figure.grouped($0.full) }, "resumed": { Figure.grouped($0.resumed) },
        "retries": { Figure.grouped($0.retries) },
        "CPU, collector": { Self.seconds($0.collectorSeconds) },
        "CPU, generator": { Self.seconds($0.generatorSeconds) },
      ])
    return .section(
      "cores", "CPU of both sides",
      "In cores: one is a whole one.",
      chart: chart("cores", "CPU time a second of collector and generator", "cores", curves),
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
    _ name: String, _ title: String, _ unit: String, _ series: [LineChart.Series]
  ) -> Chart {
    let points = series.flatMap(\.points)
    return Chart(
      name: name, title: title,
      body: .lines(
        LineChart(
          x: { .fromZero(to: points.map(\.x).max() ?? 1, ticks: $0, text: Figure.quantity) },
          y: .fromZero(to: points.compactMap(\.y).max() ?? 1, ticks: 4, text: Figure.quantity),
          unit: unit, xUnit: "s", series: series)))
  }
}
