package import Capacity
internal import Figures

/// Renders the report of a search: a pure function of `tune.json` and of what draws its pictures.
package func tuneHTML(_ record: TuneRecord, plot: Plotter?) -> String {
  let title = TuneWords.title(record)
  let page = Page(plot: plot)
  let notes: [HTML] = TuneWords.confirmed(record).map { "<p>\($0)</p>\n" }
  let pictures: [HTML] = record.question.ways.dropFirst().map { front($0, record, page) }
  return document(
    title: title,
    """
    <h1>\(title)</h1>
    <p class="question">\(record.scenario.question)</p>
    <p>Asked: \(TuneWords.question(record)).</p>
    <p>\(TuneWords.answer(record))</p>
    \(notes)\(pictures)\(finalists(record, page))\(confirmation(record, page))
    <p class="note">\(TuneWords.cost(record))</p>
    """)
}

/// The most points that a picture has names for.
private let pointsMax = 40

/// The first goal against another figure: the last rung's candidates, and the line of those that no
/// other beats in all ways.
private func front(_ way: TuneQuestion.Goal, _ record: TuneRecord, _ page: Page) -> HTML {
  let goal = record.question.goals[0].figure
  let last = record.candidates.compactMap(\.rung).max()
  var places = record.candidates.indices.filter {
    last != nil && record.candidates[$0].rung == last
  }
  // The front stays whatever else has to go.
  places.sort { (record.front.contains($0) ? 0 : 1, $0) < (record.front.contains($1) ? 0 : 1, $1) }
  places = Array(places.prefix(pointsMax))
  guard !places.isEmpty else { return "" }
  let x = places.map { record.candidates[$0].figures[way.figure] }
  let y = places.map { record.candidates[$0].figures[goal] }
  let (name, other) = (record.figures[goal], record.figures[way.figure])
  let line = places.indices.filter { record.front.contains(places[$0]) }
    .sorted { (x[$0].value, y[$0].value, $0) < (x[$1].value, y[$1].value, $1) }
  let numbered = places.count > 6
  // Gnuplot wants letters, digits and underscores.
  let picture = "front_\(other.replacing("-", with: "_"))"
  let chart = Chart(
    name: picture, title: "\(name) against \(other), a point for each candidate",
    body: .scatter(
      ScatterChart(
        x: scale(x, ticks: 5) { TuneWords.tick(record, way.figure, $0) },
        y: scale(y, ticks: 5) { TuneWords.tick(record, goal, $0) },
        unit: TuneWords.axis(record, goal), xUnit: TuneWords.axis(record, way.figure),
        points: places.indices.map { n in
          .init(
            name: numbered ? "\(n + 1)" : TuneWords.name(record, places[n]),
            x: x[n].value, y: y[n].value, xRange: x[n].low...x[n].high,
            yRange: y[n].low...y[n].high, isReference: places[n] == record.winner)
        }, front: line)))
  let legend =
    numbered
    ? places.indices.map { "\($0 + 1): \(TuneWords.name(record, places[$0]))" }
      .joined(separator: "; ") + "." : nil
  return page.section(
    "front-\(other)", "\(name) against \(other)",
    """
    The line joins the candidates that no other of the last rung beats in every way; the winner is \
    of another colour. Bars are 95 % intervals over the same phones.
    """, chart: chart, tables: [], notes: [legend.map { HTML.text($0) }].compactMap { $0 })
}

/// From a little below the least to a little above the greatest.
private func scale(_ ratios: [Ratio], ticks: Int, text: (Double) -> String) -> Scale {
  let low = ratios.map(\.low).min() ?? 0
  let high = ratios.map(\.high).max() ?? 1
  // Little would be seen of values that lie close together far from zero.
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

private func finalists(_ record: TuneRecord, _ page: Page) -> HTML {
  page.section(
    "finalists", "Those of the last rung",
    "The best by \(record.figures[record.question.goals[0].figure]) first.",
    tables: [.facts("Candidates of the last rung", TuneWords.finalists(record))])
}

private func confirmation(_ record: TuneRecord, _ page: Page) -> HTML {
  guard let table = TuneWords.confirmation(record), let found = record.confirmation else {
    return ""
  }
  return page.section(
    "confirmation", "On phones that the search did not see",
    """
    \(Figure.grouped(found.phones)) phones of the seeds \
    \(found.seeds.map(String.init).joined(separator: " and ")), lived with the winner and with \
    the settings as they were written.
    """, tables: [.facts("The winner beside the settings as written", table)])
}
