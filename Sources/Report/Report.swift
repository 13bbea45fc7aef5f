internal import Figures

/// Returns the text of `report.html`, which needs no network.
package func reportHTML(_ files: RunFiles, _ libraries: PageLibraries) -> String {
  let record = files.record
  let page = Page(libraries: libraries)
  if let plan = PlanPage(record) { return plan.document.html(libraries) }
  let first = FirstScreen(record, files.timeline)
  let run = RunSections(files: files, page: page)
  let sections = [
    run.time, run.places,
    Sureness(record, Facts(record), files.sensitivity, files.evidence).section(page), first.words,
    run.latency, run.freshness, run.silence, run.systems, run.events, run.map, run.sources,
    run.pushes, run.pushTimes, run.pushGroups, run.uplift, run.storm, run.energy, run.batteries,
    run.sender, run.target, run.ledger, run.clocks, run.traffic, run.machine, run.agreement,
    run.made,
  ].compactMap(\.self)
  return document(
    title: "\(record.scenario.name): \(record.verdict.rawValue)", page, "\(first.html)\(sections)")
}

/// The sections of a run's report, each a property that is nil without data.
struct RunSections {
  let files: RunFiles
  let page: Page

  var record: RunRecord { files.record }
  var wake: RunRecord.Wake { record.wake }
}

func document(title: String, _ page: Page, _ main: HTML) -> String {
  document(title: title, page.parts(of: main), main)
}

/// - Parameter connects: Whether the page's scripts may read from its own server.
func document(
  title: String, _ parts: (head: HTML, scripts: HTML), connects: Bool = false, _ main: HTML
) -> String {
  let (head, scripts) = parts
  let source: HTML = connects ? "; connect-src 'self'" : ""
  let document: HTML = """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
    style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\(source)">
    <title>\(title) – Flotilla</title>
    <style>
    \(head)\(HTML(trusted: StyleSheet.text))</style>
    </head>
    <body>
    <main>
    \(main)\(scripts)</main>
    </body>
    </html>

    """
  return document.markup
}

/// A folded table. Print unfolds a table of facts, but not one with the numbers of a curve.
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

struct Page {
  let libraries: PageLibraries

  /// Whether the charts have a cursor and zoom, for which a library is needed.
  var isInteractive: Bool { libraries.dygraphs != nil }

  /// - Parameter sentence: The message of the chart. `open` is a table that is not folded.
  func section(
    _ id: String, _ title: String, _ sentence: HTML, chart: Chart? = nil,
    open: Table? = nil, tables: [Fold?] = [], notes: [HTML] = []
  ) -> HTML {
    let folds = tables.compactMap { $0?.html }
    let extra: [HTML] = notes.map { "<p class=\"note\">\($0)</p>\n" }
    return """
      <section id="\(id)">
      <h2>\(title)</h2>
      <p>\(sentence)</p>
      \(chart.map { figure($0) } ?? "")\(open?.html ?? "")\(folds)\(extra)</section>

      """
  }

  func panels(_ charts: [Chart]) -> HTML {
    let figures: [HTML] = charts.enumerated().map { i, chart in
      guard case .lines(var lines) = chart.body else { return figure(chart) }
      lines.isPanel = true
      return figure(
        Chart(title: chart.title, body: .lines(lines)),
        panel: i == charts.count - 1 ? "panel last" : "panel")
    }
    return "<div class=\"panels\">\n\(figures)</div>\n\(isInteractive ? Self.zoomHint : "")"
  }

  static let zoomHint: HTML = """
    <p class="note">Drag to zoom, double-click to show all; arrow keys move the cursor, + and − \
    zoom.</p>

    """

  /// - Parameter panel: The class of a chart that shares its axis with other charts.
  func figure(_ chart: Chart, panel: String? = nil) -> HTML {
    let pictures: [HTML] = ChartCanvas.allCases.map { ChartSVG.html(chart, $0) }
    let data = isInteractive ? ChartData.json(chart) ?? "" : ""
    let kind: HTML = panel.map { " class=\"\($0)\"" } ?? ""
    return "<figure\(kind)>\n\(pictures)\(data)</figure>\n"
  }

  /// Returns the styles and scripts that a page needs, both Flotilla's and those of libraries.
  func parts(of main: HTML) -> (head: HTML, scripts: HTML) {
    let hasCharts = main.markup.contains("<figure")
    let dygraphs = main.markup.contains(ChartData.start) ? libraries.dygraphs : nil
    let leaflet = main.markup.contains(PlaceData.start) ? libraries.leaflet : nil
    let own = leaflet == nil ? [PageLibraries.charts] : [PageLibraries.charts, PageLibraries.map]
    var parts = Self.inlined([dygraphs, leaflet].compactMap(\.self), own)
    if hasCharts, libraries.dygraphs == nil {
      parts.scripts += """
        <p class="note">Charts are static: dygraphs was not found when this page was written; \
        make deps installs it.</p>

        """
    }
    return parts
  }

  /// Returns the styles and scripts of a page that gets its charts and map later.
  func live(hasMap: Bool) -> (head: HTML, scripts: HTML) {
    let leaflet = hasMap ? libraries.leaflet : nil
    return Self.inlined(
      [libraries.dygraphs, leaflet].compactMap(\.self),
      [PageLibraries.charts] + (leaflet == nil ? [] : [PageLibraries.map]))
  }

  /// Returns a library's styles and scripts, with Flotilla's own; nothing if a library is missing.
  private static func inlined(
    _ libraries: [PageLibraries.Library], _ own: [String]
  ) -> (head: HTML, scripts: HTML) {
    guard !libraries.isEmpty else { return ("", "") }
    let styles = libraries.map { HTML(trusted: $0.style + "\n") }
    return (styles.joined(), (libraries.map(\.script) + own).map(script).joined())
  }

  static func script(_ text: String) -> HTML { "<script>\(HTML(trusted: text))</script>\n" }
}
