internal import Core
internal import Figures

extension RunSections {
  var sources: HTML? {
    let sources = record.rankedFixSources
    guard let first = sources.first else { return nil }
    let table = Table(
      head: ["source", "fixes", "share", "error p50", "p95"],
      rows: sources.map { name, figures in
        [
          Self.name(name), Figure.grouped(figures.fixes), Figure.percent(figures.share),
          Self.meters(figures.errorMedian), Self.meters(figures.errorP95),
        ]
      })
    return page.section(
      "sources", "Sources of positions",
      """
      \(Figure.percent(first.figures.share)) of the positions that apps kept came from \
      \(Self.name(first.name)), with a median error of \
      \(Self.meters(first.figures.errorMedian)).
      """,
      chart: Chart(
        title: "Positions that apps kept, by source",
        body: .bars(
          BarChart(
            bars: sources.map { name, figures in
              .init(
                name: Self.name(name), value: Double(figures.fixes),
                text: Figure.percent(figures.share), ink: .blue)
            }, unit: "fixes"))),
      tables: [.facts("Sources as a table", table)],
      notes: [
        """
        Error: distance from the phone’s true position when its app received the fix. Only the \
        simulation knows a position’s source.
        """
      ])
  }

  private static func name(_ source: String) -> String {
    switch source {
    case "wifi": "Wi-Fi"
    case "cell": "cell towers"
    case "reduced": "approximate (precise location off)"
    case "cached": "the system’s cache"
    default: source
    }
  }

  private static func meters(_ value: Double?) -> String {
    value.map { "\(Figure.quantity($0)) m" } ?? "—"
  }
}
