internal import Figures

/// Draws a chart's script; nil when it cannot.
package typealias Plotter = @Sendable (_ script: String) -> String?

/// Renders `report.html`: a pure function of a run's files and of what draws its charts.
///
/// Self-contained: no script, no font, no picture from elsewhere.
///
/// - Parameter plot: nil: the report keeps its tables and says why it has no charts.
package func reportHTML(_ files: RunFiles, plot: Plotter?) -> String {
  let record = files.record
  let page = Page(plot: plot)
  if let plan = PlanPage(record) { return plan.document.html(plot) }
  let sections = [
    RateSection(files).html(page), LatencySection(files).html(page),
    FreshnessSection(files).html(page), StaleSection(files).html(page),
    MapSection(files).html(page), SourceSection(files).html(page), PushSection(files).html(page),
    PushTimeSection(files).html(page), PushGroupSection(files).html(page),
    UpliftSection(files).html(page), StormSection(files).html(page),
    EnergySection(files).html(page),
    BatterySection(files).html(page),
    SenderSection(files).html(page), TargetSection(files).html(page),
    LedgerSection(files).html(page), ClockSection(files).html(page),
    TrafficSection(files).html(page),
    MachineSection(files).html(page), AgreementSection(files).html(page),
    RunSection(files).html(page),
  ].compactMap(\.self)
  let note: HTML =
    plot == nil
    ? "<p class=\"note\">No charts: gnuplot was not found when this report was made.</p>\n" : ""
  let title = "\(record.scenario.name): \(record.verdict.rawValue)"
  return document(
    title: title, "\(FirstScreen(record, files.sensitivity, files.evidence).html)\(note)\(sections)"
  )
}

/// One self-contained page: everything but `title` and what stands in `main`.
func document(title: String, _ main: HTML) -> String {
  let document: HTML = """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>\(title) – Flotilla</title>
    <style>
    \(HTML(trusted: StyleSheet.text))</style>
    </head>
    <body>
    <main>
    \(main)</main>
    </body>
    </html>

    """
  return document.markup
}

/// A table under a fold. On paper only facts are unfolded; the numbers of a curve are in the file.
struct Fold {
  var title: String
  var table: Table
  var isCurve = false

  static func facts(_ title: String, _ table: Table) -> Fold { Fold(title: title, table: table) }
  static func curve(_ title: String, _ table: Table) -> Fold {
    Fold(title: title, table: table, isCurve: true)
  }

  var html: HTML {
    """
    <details class="\(isCurve ? "curve" : "facts")">
    <summary>\(title)</summary>
    \(table.html)
    </details>

    """
  }
}

/// What sections share: headings, figures with their two sizes, tables under a fold.
struct Page {
  let plot: Plotter?

  /// - Parameters:
  ///   - sentence: what the picture says.
  ///   - open: a table that is read, not looked up.
  ///   - notes: beneath it.
  func section(
    _ id: String, _ title: String, _ sentence: HTML, chart: Chart? = nil,
    open: Table? = nil, tables: [Fold], notes: [HTML] = []
  ) -> HTML {
    let extra: [HTML] = notes.map { "<p class=\"note\">\($0)</p>\n" }
    return """
      <section id="\(id)">
      <h2>\(title)</h2>
      <p>\(sentence)</p>
      \(chart.map(figure) ?? "")\(open?.html ?? "")\(tables.map(\.html))\(extra)</section>

      """
  }

  func figure(_ chart: Chart) -> HTML {
    guard let plot else { return "" }
    let pictures: [HTML] = Canvas.allCases.compactMap { canvas in
      plot(ChartScript.text(chart, canvas)).flatMap {
        InlineSVG.html($0, title: chart.title, canvas: canvas)
      }
    }
    guard pictures.count == Canvas.allCases.count else {
      return "<p class=\"note\">Gnuplot could not draw this chart.</p>\n"
    }
    return "<figure>\n\(pictures)</figure>\n"
  }
}
