internal import Core
internal import Figures

/// Draws a chart's script; nil on failure.
package typealias Plotter = @Sendable (_ script: String) -> String?

/// Renders `report.html`, self-contained; without `plot` the missing charts are explained.
package func reportHTML(_ files: RunFiles, plot: Plotter?) -> String {
  let record = files.record
  let page = Page(plot: plot)
  if let plan = PlanPage(record) { return plan.document.html(plot) }
  let phones = PhoneSections(files: files, page: page)
  let pushes = PushSections(files: files, page: page)
  let load = LoadSections(files: files, page: page)
  let ledger = LedgerSections(files: files, page: page)
  let sections = [
    load.rate, load.latency, phones.freshness, phones.silence, phones.map, phones.sources,
    pushes.pushes, pushes.pushTimes, pushes.pushGroups, pushes.uplift, load.storm, phones.energy,
    phones.batteries, pushes.sender, load.target, ledger.ledger, ledger.clocks, load.traffic,
    load.machine, ledger.agreement, load.run,
  ].compactMap(\.self)
  let note: HTML =
    plot == nil
    ? "<p class=\"note\">No charts: gnuplot was not found when this report was made.</p>\n" : ""
  let title = "\(record.scenario.name): \(record.verdict.rawValue)"
  return document(
    title: title,
    "\(FirstScreen(record, files.sensitivity, files.evidence).html)\(note)\(sections)"
  )
}

/// Sections of a run's report, a property each; nil without data.
protocol RunSections {
  var files: RunFiles { get }
  var page: Page { get }
}

extension RunSections {
  var record: RunRecord { files.record }
  var wake: RunRecord.Wake { record.wake }
}

struct PhoneSections: RunSections {
  let files: RunFiles
  let page: Page
}

struct PushSections: RunSections {
  let files: RunFiles
  let page: Page
}

struct LoadSections: RunSections {
  let files: RunFiles
  let page: Page
}

struct LedgerSections: RunSections {
  let files: RunFiles
  let page: Page
}

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

/// A folded table. On paper only facts are unfolded; the numbers of a curve are in the file.
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
  let plot: Plotter?

  /// - Parameter sentence: The message of the chart.
  /// - Parameter open: A table that is not folded.
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
      \(chart.map(figure) ?? "")\(open?.html ?? "")\(folds)\(extra)</section>

      """
  }

  func figure(_ chart: Chart) -> HTML {
    guard let plot else { return "" }
    let pictures: [HTML] = ChartCanvas.allCases.compactMap { canvas in
      plot(ChartScript.text(chart, canvas)).flatMap {
        InlineSVG.html($0, title: chart.title, canvas: canvas)
      }
    }
    guard pictures.count == ChartCanvas.allCases.count else {
      return "<p class=\"note\">Gnuplot could not draw this chart.</p>\n"
    }
    return "<figure>\n\(pictures)</figure>\n"
  }
}
