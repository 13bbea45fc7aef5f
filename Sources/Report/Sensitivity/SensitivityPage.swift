package import Capacity
internal import Figures

/// Renders the report of a sensitivity study: a pure function of `sensitivity.json` and of what
/// draws its pictures.
package func sensitivityHTML(_ record: SensitivityRecord, plot: Plotter?) -> String {
  let title = SensitivityWords.title(record)
  let page = Page(plot: plot)
  let sections: [HTML] = record.figures.map { section($0, record, page) }
  let refused: HTML =
    SensitivityWords.refused(record).map { "<p class=\"note\">\($0)</p>\n" } ?? ""
  return document(
    title: title,
    """
    <h1>\(title)</h1>
    <p class="question">\(record.scenario.question)</p>
    <p>\(SensitivityWords.lives(record)) \(SensitivityWords.varied(record))</p>
    \(refused)\(SensitivityWords.headlines(record).html)
    <p class="note">Sampled: what another draw of as many phones would show, from resampled \
    phones. Model: what the figure becomes with all parameters drawn evenly from their ranges at \
    once, from the 5th percentile to the 95th.</p>
    \(sections)\(held(record, page))
    """)
}

/// Bars of the tornado; below them little is seen.
private let bars = 15

private func section(
  _ figure: SensitivityRecord.Figure, _ record: SensitivityRecord, _ page: Page
) -> HTML {
  let name = figure.name.title
  let unit = SensitivityWords.unit(figure.name)
  let moving = figure.effects.filter { $0.meanAbsolute > 0 }
  guard let first = moving.first else {
    return page.section(
      figure.name.rawValue, "What \(name) hangs on", "No parameter moved it.", tables: [])
  }
  let chart = Chart(
    name: figure.name.rawValue, title: "How far each parameter moves: \(name)",
    body: .bars(
      BarChart(
        bars: moving.prefix(bars).map { effect in
          .init(
            name: record.parameters[effect.parameter].path,
            value: figure.name.unit == .share ? effect.meanAbsolute * 100 : effect.meanAbsolute,
            text: "\(SensitivityWords.effect(effect.meanAbsolute, figure.name)), "
              + SensitivityWords.direction(effect.direction),
            ink: effect.direction == .both ? .orange : effect.mean > 0 ? .blue : .vermilion)
        }, unit: "\(unit), over the whole range (μ*)")))
  let parameter = record.parameters[first.parameter]
  return page.section(
    figure.name.rawValue, "What \(name) hangs on",
    """
    Most on \(parameter.path) (\(parameter.doc)): over its range from \(parameter.low) to \
    \(parameter.high) it moves the figure by \
    \(SensitivityWords.effect(first.meanAbsolute, figure.name)) \(unit).
    """,
    chart: chart,
    tables: [
      .facts(
        "All parameters that move it",
        SensitivityWords.effects(record, figure, top: moving.count, half: 0))
    ],
    notes: [SensitivityWords.rest(figure, top: moving.count), SensitivityWords.otherSeed(figure)]
      .compactMap { $0.map(HTML.text) })
}

private func held(_ record: SensitivityRecord, _ page: Page) -> HTML {
  let table = Table(
    head: ["figure of the model", "why it kept its value"],
    rows: record.held.map { [$0.path, $0.reason.rawValue] }, words: [1])
  return page.section(
    "held", "What was not varied",
    """
    \(SensitivityWords.varied(record)) What nobody has given a range for, such as which of two \
    ways an operating system behaves, can be compared by a sweep.
    """, tables: [.facts("Figures that kept their values", table)])
}
