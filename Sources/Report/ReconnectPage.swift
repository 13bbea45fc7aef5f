package import Figures

/// Renders what `flotilla-lab bench reconnect` measured: a pure function of `reconnect.json` and of
/// what draws its pictures.
package func reconnectHTML(_ record: ReconnectRecord, plot: Plotter?) -> String {
  let sections = RecordSections(record, Page(plot: plot))
  let answers: [HTML] = record.storms.map {
    "<p><strong>\(ReconnectWords.answer($0, of: record.phones))</strong></p>"
  }
  return document(
    title: "A fleet that comes back at once",
    """
    <h1>A fleet that comes back at once</h1>
    \(answers.reduce("") { "\($0)\($1)" })
    <p>\(ReconnectWords.setting(record))</p>
    \(sections.handshakes)\(sections.served)\(sections.cores)
    """)
}

/// Sentences for page and terminal.
package enum ReconnectWords {
  /// Returns the sentence with the time until all were served, the handshakes a second, and the CPU
  /// time of both sides for each phone.
  package static func answer(_ storm: ReconnectRecord.Storm, of phones: Int) -> String {
    let begin = storm.hasTickets ? "With tickets" : "Without tickets"
    guard let after = storm.servedAfter, let rate = storm.handshakesPerSecond else {
      return """
        \(begin) \(Figure.grouped(storm.served)) of \(Figure.grouped(phones)) phones were served.
        """
    }
    let each = 1e6 / Double(max(1, phones))
    return """
      \(begin) \(Figure.grouped(phones)) phones were served after \(seconds(after)): \
      \(Figure.grouped(Int(rate.rounded()))) handshakes a second, \
      \(Figure.grouped(storm.resumed)) of \(Figure.grouped(storm.full + storm.resumed)) resumed; a \
      phone took the collector \(Figure.time(storm.collectorSeconds * each)) and the generator \
      \(Figure.time(storm.generatorSeconds * each)) of CPU time.
      """
  }

  static func setting(_ record: ReconnectRecord) -> String {
    """
    All phones come at one instant, each with a connection of its own over \(record.carrier) and \
    TLS 1.3 with P-256, an upload of 20 fixes and its ack; at most \
    \(Figure.grouped(record.atOnce)) connections at once; the collector stores nothing; \
    \(record.isPinned ? "collector and generator on a core each" : "nothing pinned"). A client’s \
    handshake costs more than a server’s: where the generator’s core is full and the collector’s \
    is not, more generators would make the storm shorter.
    """
  }

  static func seconds(_ value: Double) -> String {
    "\(Figure.plain((value * 10).rounded() / 10)) s"
  }
}

extension RecordSections where Record == ReconnectRecord {
  fileprivate var handshakes: HTML {
    let curves = record.storms.map { storm in
      curve(storm) { step, length in Double(step.full + step.resumed) / length }
    }
    return page.section(
      "handshakes", "Handshakes a second",
      "Full and resumed ones together, from the instant at which the phones came.",
      chart: chart("handshakes", "Handshakes a second over the storm", "handshakes/s", curves),
      tables: [.curve("Both storms as a table", table)])
  }

  fileprivate var served: HTML {
    let curves = record.storms.map { storm in curve(storm) { step, _ in Double(step.served) } }
    return page.section(
      "served", "Phones that have been served",
      "A phone is served when its upload has been acknowledged.",
      chart: chart("served", "Phones served since the storm began", "phones", curves), tables: [])
  }

  fileprivate var cores: HTML {
    let curves = record.storms.flatMap { storm in
      [
        curve(storm, "collector") { step, _ in step.collectorCores },
        curve(storm, "generator", isDashed: true) { step, _ in step.generatorCores },
      ]
    }
    let rows = record.storms.map { storm in
      [
        name(storm), storm.servedAfter.map(ReconnectWords.seconds) ?? "—",
        Figure.grouped(storm.full), Figure.grouped(storm.resumed), Figure.grouped(storm.retries),
        ReconnectWords.seconds(storm.collectorSeconds),
        ReconnectWords.seconds(storm.generatorSeconds),
      ]
    }
    return page.section(
      "cores", "CPU of both sides", "In cores: one is a whole one.",
      chart: chart("cores", "CPU time a second of collector and generator", "cores", curves),
      open: Table(
        head: [
          "", "all served after", "full handshakes", "resumed", "retries", "CPU, collector",
          "CPU, generator",
        ], rows: rows),
      tables: [])
  }

  private func name(_ storm: ReconnectRecord.Storm) -> String {
    storm.hasTickets ? "with tickets" : "without tickets"
  }

  private func curve(
    _ storm: ReconnectRecord.Storm, _ what: String = "", isDashed: Bool = false,
    _ value: (ReconnectRecord.Step, Double) -> Double
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
    let rows = record.storms.flatMap { storm in
      storm.steps.map { step in
        [
          name(storm), ReconnectWords.seconds(step.second), "\(step.full)", "\(step.resumed)",
          "\(step.served)", Figure.plain((step.collectorCores * 100).rounded() / 100),
          Figure.plain((step.generatorCores * 100).rounded() / 100),
        ]
      }
    }
    return Table(
      head: ["storm", "until", "full", "resumed", "served", "collector", "generator"], rows: rows)
  }

  private func chart(
    _ name: String, _ title: String, _ unit: String, _ series: [LineChart.Series]
  ) -> Chart {
    let points = series.flatMap(\.points)
    return Chart(
      name: name, title: title,
      body: .lines(
        LineChart(
          x: {
            .fromZero(to: points.map(\.x).max() ?? 1, ticks: $0, text: Figure.quantity)
          },
          y: .fromZero(to: points.compactMap(\.y).max() ?? 1, ticks: 4, text: Figure.quantity),
          unit: unit, xUnit: "s", series: series, marks: [])))
  }
}
