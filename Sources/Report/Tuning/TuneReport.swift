package import Capacity
internal import Core
internal import Figures

extension TuneRecord: Reported {
  package var report: Document {
    let goal = figures[question.goals[0].figure]
    return Document(
      title: title, isWrapped: false,
      blocks: [
        .terminal(.text(title)), .page(.question(scenario.question)), .text("Goal: \(asked)."),
        .terminal(.text(costSentence), .gap, .table(finalists), .gap), .text(answer),
      ] + confirmed.map(Block.text) + question.ways.dropFirst().map(picture) + [
        .paper(
          .section(
            "finalists", "Candidates of the last rung", "Sorted by \(goal), best first.",
            tables: [.facts("All candidates of the last rung", finalists)]),
          .markdown(.table(finalists)), confirmationSection, .note(costSentence))
      ])
  }

  private var confirmationSection: Block? {
    guard let found = confirmation, let table = confirmedTable else { return nil }
    let section = Block.section(
      "confirmation", "Confirmation with other seeds",
      """
      \(Figure.grouped(found.phones)) phones of the seeds \
      \(found.seeds.map(String.init).joined(separator: " and ")), simulated with the winner and \
      with the original settings.
      """, tables: [.facts("Winner and original settings", table)])
    return .paper(section, .markdown(.table(table)))
  }

  /// The most points with names in a chart.
  private static let pointsMax = 40

  /// The first goal against another figure: the last rung's candidates and their Pareto front.
  private func picture(_ way: TuneQuestion.Goal) -> Block? {
    let goal = question.goals[0].figure
    // The front is always drawn.
    let places = lastRung.sorted {
      (front.contains($0) ? 0 : 1, $0) < (front.contains($1) ? 0 : 1, $1)
    }.prefix(Self.pointsMax).map(\.self)
    guard !places.isEmpty else { return nil }
    let x = places.map { candidates[$0].figures[way.figure] }
    let y = places.map { candidates[$0].figures[goal] }
    let (name, other) = (figures[goal], figures[way.figure])
    let line = places.indices.filter { front.contains(places[$0]) }
      .sorted { (x[$0].value, y[$0].value, $0) < (x[$1].value, y[$1].value, $1) }
    let numbered = places.count > 6
    let chart = Chart(
      title: "\(name) against \(other), one point per candidate",
      body: .scatter(
        ScatterChart(
          x: Self.scale(x, ticks: 5) { tick(way.figure, $0) },
          y: Self.scale(y, ticks: 5) { tick(goal, $0) },
          unit: axis(goal), xUnit: axis(way.figure),
          points: places.indices.map { n in
            .init(
              name: numbered ? "\(n + 1)" : self.name(places[n]),
              x: x[n].value, y: y[n].value, xRange: x[n].low...x[n].high,
              yRange: y[n].low...y[n].high, isReference: places[n] == winner)
          }, front: line)))
    let legend =
      places.indices.map { "\($0 + 1): \(self.name(places[$0]))" }.joined(separator: "; ") + "."
    return .page(
      .section(
        "front-\(other)", "\(name) against \(other)",
        """
        Line: Pareto front of the last rung. The winner has another colour. Bars are 95 % \
        intervals over the same phones.
        """, chart: chart, notes: [numbered ? legend : nil]))
  }

  private static func scale(
    _ ratios: [Ratio], ticks: Int, text: (Double) -> String
  ) -> Scale {
    let low = ratios.map(\.low).min() ?? 0
    let high = ratios.map(\.high).max() ?? 1
    // Values close together and far from zero need a scale that does not begin at zero.
    guard low > 0.5 * high, high > low else { return .fromZero(to: high, ticks: ticks, text: text) }
    let span = Scale.fromZero(to: (high - low) * 1.1, ticks: ticks, text: text)
    let step = span.ticks[1].value
    let first = (low / step).rounded(.down) * step
    let count = Int(((high - first) / step).rounded(.up))
    return Scale(
      low: first, high: first + Double(count) * step,
      ticks: (0...count).map { n in
        let value = first + Double(n) * step
        return .init(value: value, text: text(value))
      })
  }

  package var csv: String? {
    let columns = figures.flatMap { ["\($0)", "\($0)-low", "\($0)-high"] }
    let rows = candidates.enumerated().map { place, one in
      let marks = [
        one.rung.map { "\($0 + 1)" } ?? "", front.contains(place) ? "1" : "0",
        place == winner ? "1" : "0",
      ]
      let numbers = one.figures.flatMap(Table.fields)
      return one.values + marks + (numbers.isEmpty ? columns.map { _ in "" } : numbers)
    }
    return Table(head: axes.map(\.key) + ["rung", "front", "winner"] + columns, rows: rows).csv
  }
}
