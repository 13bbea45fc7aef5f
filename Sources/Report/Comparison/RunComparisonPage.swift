internal import Figures

/// Renders the report of a comparison of runs: a pure function of the comparison and of the runs'
/// files, and of what draws its pictures.
package func runComparisonHTML(
  _ record: RunComparison, _ runs: [RunFiles], plot: Plotter?
) -> String {
  let page = Page(plot: plot)
  let note: HTML =
    plot == nil
    ? "<p class=\"note\">No pictures: gnuplot was not found when this report was made.</p>\n" : ""
  let sections = RunComparisonSections(record: record, runs: runs)
  let title = RunComparisonWords.title(record)
  let answers: [HTML] = (1..<record.runs.count).map { place in
    let answer = RunComparisonWords.answer(record, of: place)
    let items: [HTML] = answer.list.map { "<li>\($0)</li>\n" }
    let list: HTML = items.isEmpty ? "" : "<ul>\n\(items)</ul>\n"
    return "<p class=\"question\">\(answer.sentence)</p>\n\(list)"
  }
  return document(
    title: title,
    """
    <h1>\(title)</h1>
    \(answers)\(note)\(sections.figures)\(sections.responses(page))\(sections.rates(page))\
    \(sections.fresh(page))\(sections.promises)\(sections.made)
    """)
}

/// The parts of the page.
private struct RunComparisonSections {
  let record: RunComparison
  let runs: [RunFiles]

  private static let inks: [Ink] = [.blue, .vermilion, .green, .purple, .orange, .sky, .grey]
  /// Points that a curve needs on the widest canvas.
  private static let pointsMax = 240

  var figures: HTML {
    """
    <section id="figures">
    <h2>Figures side by side</h2>
    \(RunComparisonWords.figures(record).html)
    <p class="note">\(RunComparisonWords.legend)</p>
    </section>

    """
  }

  func responses(_ page: Page) -> HTML {
    section(
      page, "responses", "Response p99 of each second", "response_p99_us", isLogarithmic: true,
      unit: "wall time", Figure.time)
  }

  func rates(_ page: Page) -> HTML {
    section(
      page, "rates", "Acknowledged batches", "acked_per_s", unit: "batches/s", Figure.quantity)
  }

  func fresh(_ page: Page) -> HTML {
    section(
      page, "fresh", "Fresh reachable phones", "fresh_reachable_now", isShare: true,
      unit: "share of reachable phones", Figure.percent)
  }

  private func section(
    _ page: Page, _ id: String, _ title: String, _ column: String, isLogarithmic: Bool = false,
    isShare: Bool = false, unit: String, _ text: @escaping (Double) -> String
  ) -> HTML {
    let curves = curves(column)
    let values = curves.flatMap { $0.points.compactMap(\.y) }
    guard let low = values.filter({ $0 > 0 }).min(), let high = values.max() else { return "" }
    let y: Scale =
      isShare
      ? .share
      : isLogarithmic
        ? .powersOfTen(from: low, to: high, text: text)
        : .fromZero(to: high, ticks: 4, text: text)
    let end = curves.flatMap { $0.points.map(\.x) }.max() ?? 1
    let chart = Chart(
      name: id, title: "\(title), a curve for each run",
      body: .lines(
        LineChart(
          x: { .fromZero(to: end, ticks: $0, text: Figure.quantity) }, y: y, unit: unit,
          xUnit: "minutes of the scenario", series: curves)))
    return page.section(
      id, title, "Each run over its own time, from its start.", chart: chart, tables: [])
  }

  private func curves(_ column: String) -> [LineChart.Series] {
    runs.enumerated().compactMap { place, files in
      guard files.timeline.has(column) else { return nil }
      let timeline = files.timeline.condensed(to: Self.pointsMax)
      let start = timeline["scenario_s"].first.flatMap(\.self) ?? 0
      let x = timeline["scenario_s"].map { (($0 ?? start) - start) / 60 }
      return LineChart.Series(
        name: RunComparisonWords.letter(place), ink: Self.inks[place % Self.inks.count],
        points: Array(zip(x, timeline[column])).map { (x: $0.0, y: $0.1) }, isDashed: place > 0)
    }
  }

  var promises: HTML {
    guard !record.promises.isEmpty else { return "" }
    let table = Table(
      head: ["run", "promise", "found", "asked for", ""],
      rows: record.promises.map { promise in
        let result = promise.result
        return [
          RunComparisonWords.letter(promise.run), result.name,
          result.actual.map(result.amount) ?? "—", result.amount(result.limit),
          result.pass ? "kept" : promise.wasKept ? "missed, and kept before" : "missed",
        ]
      }, words: [1, 4])
    return "<section id=\"promises\">\n<h2>Promises</h2>\n\(table.html)\n</section>\n\n"
  }

  var made: HTML {
    let pairs: [HTML] = record.pairings.enumerated().map { offset, pairing in
      let differences: [HTML] = pairing.differences.map { "<li>\($0)</li>\n" }
      let list: HTML = differences.isEmpty ? "" : "<ul>\n\(differences)</ul>\n"
      return """
        <p>\(RunComparisonWords.letter(offset + 1)) and A. \(pairing.sentence)\
        \(differences.isEmpty ? "" : " They differ in:")</p>
        \(list)
        """
    }
    return """
      <section id="runs">
      <h2>The runs, and how they were compared</h2>
      \(RunComparisonWords.runs(record).html)
      \(pairs)<p class="note">Regression: a figure worse by more than \
      \(Figure.percent(record.tolerance)) whose interval, where it has one, lies wholly on that \
      side; a promise that was kept before; any fix that is lost.</p>
      </section>

      """
  }
}
