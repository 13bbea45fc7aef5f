internal import Core
package import Figures

extension ReconnectRecord {
  package var report: Document {
    var head = PageHead(
      Facts(self), badge, answer: storms.map(answer).joined(separator: " "), tiles: [])
    head.tiles = storms.flatMap(tiles)
    return Document(
      title: "Reconnect storm over TLS", head: head, blocks: [course, .note(setting)])
  }

  private var badge: PageHead.Badge? {
    guard !storms.isEmpty else { return nil }
    let isGood = storms.allSatisfy { $0.servedAfter != nil }
    return PageHead.Badge(text: isGood ? "all served" : "not all served", isGood: isGood)
  }

  private func tiles(_ storm: Storm) -> [Tile] {
    let id = storm.hasTickets ? "tickets" : "full"
    let each = 1e6 / Double(max(1, phones))
    let cores = storm.steps.map { Optional($0.collectorCores) }
    return [
      Tile(
        id: "served-\(id)", title: "Served, \(name(storm))",
        value: .text(storm.servedAfter.map(Self.seconds) ?? "not all"),
        note: "\(Figure.grouped(storm.served)) of \(Figure.grouped(phones)) phones",
        curve: TileCurve.html(storm.steps.map { Double($0.served) })),
      Tile(
        id: "handshakes-\(id)", title: "Handshakes, \(name(storm))",
        value: .text(
          storm.handshakesPerSecond.map { "\(Figure.quantity($0.rounded()))/s" } ?? "—"),
        note:
          "\(Figure.grouped(storm.resumed)) of \(Figure.grouped(storm.full + storm.resumed)) resumed"
      ),
      Tile(
        id: "cpu-\(id)", title: "Collector CPU per phone, \(name(storm))",
        value: .text(Figure.time(storm.collectorSeconds * each)),
        note: "generator \(Figure.time(storm.generatorSeconds * each))",
        curve: TileCurve.html(cores)),
    ]
  }

  /// Returns the time until all phones are served, the handshake rate, and the CPU time per phone.
  package func answer(_ storm: Storm) -> String {
    let begin = storm.hasTickets ? "With tickets" : "Without tickets"
    guard let after = storm.servedAfter, let rate = storm.handshakesPerSecond else {
      return "\(begin): \(Figure.grouped(storm.served)) of \(Figure.grouped(phones)) phones served."
    }
    let each = 1e6 / Double(max(1, phones))
    return """
      \(begin): \(Figure.grouped(phones)) phones served in \(Self.seconds(after)), \
      \(Figure.quantity(rate.rounded())) handshakes/s, \(Figure.grouped(storm.resumed)) of \
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

  private var course: Block? {
    guard !storms.isEmpty else { return nil }
    let handshakes = storms.map { storm in
      curve(storm) { step, length in Double(step.full + step.resumed) / length }
    }
    let served = storms.map { storm in curve(storm) { step, _ in Double(step.served) } }
    let cores = storms.flatMap { storm in
      [
        curve(storm, "collector") { step, _ in step.collectorCores },
        curve(storm, "generator") { step, _ in step.generatorCores },
      ]
    }
    let sums = Table(
      storms,
      [
        "": { name($0) }, "all served in": { $0.servedAfter.map(Self.seconds) },
        "full handshakes": { Figure.grouped($0.full) }, "resumed": { Figure.grouped($0.resumed) },
        "retries": { Figure.grouped($0.retries) },
        "CPU, collector": { Self.seconds($0.collectorSeconds) },
        "CPU, generator": { Self.seconds($0.generatorSeconds) },
      ])
    return .section(
      "course", "Time line",
      [
        .text(
          """
          Seconds from the start of each storm. A phone is served when its upload is acknowledged.
          """),
        .panels([
          chart("Handshakes/s over time", "handshakes/s", handshakes),
          chart("Phones served over time", "phones served", served),
          chart("CPU of collector and generator over time", "cores", cores),
        ]),
        .table(sums), .fold(.curve("Both storms as a table", table)),
      ])
  }

  private func name(_ storm: Storm) -> String {
    storm.hasTickets ? "with tickets" : "without tickets"
  }

  /// - Parameter side: The name of the process that the curve is about; empty for neither.
  private func curve(
    _ storm: Storm, _ side: String = "", _ value: (Step, Double) -> Double
  ) -> LineChart.Series {
    var before = 0.0
    let points: [(x: Double, y: Double?)] = storm.steps.map { step in
      defer { before = step.second }
      return (step.second, value(step, max(step.second - before, 1e-3)))
    }
    let inks: (Ink, Ink) = side == "generator" ? (.sky, .orange) : (.blue, .vermilion)
    return LineChart.Series(
      name: side.isEmpty ? name(storm) : "\(side), \(name(storm))",
      ink: storm.hasTickets ? inks.0 : inks.1, points: points)
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
          x: {
            .fromZero(
              to: points.map(\.x).max() ?? 1, ticks: $0, form: .seconds, text: Figure.quantity)
          },
          y: .fromZero(to: points.compactMap(\.y).max() ?? 1, ticks: 3, text: Figure.quantity),
          unit: unit, xUnit: "s", series: series)))
  }
}
