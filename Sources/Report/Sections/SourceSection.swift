internal import Core
internal import Figures

extension PhoneSections {
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
      "sources", "Where positions came from",
      """
      Most of the positions that apps kept came from \(Self.name(first.name)), \
      \(Figure.percent(first.figures.share)) of them, \
      \(Self.meters(first.figures.errorMedian)) off in the median.
      """,
      chart: Chart(
        name: "sources", title: "Positions that apps kept, by where they came from",
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
        Error: from the position to where the phone was when its app got it. Neither the app nor \
        the server knows a position’s source; only the simulation does.
        """
      ])
  }

  private static func name(_ source: String) -> String {
    switch source {
    case "wifi": "Wi-Fi"
    case "cell": "cells"
    case "reduced": "places nearby (precise location off)"
    case "cached": "the system’s memory"
    default: source
    }
  }

  private static func meters(_ value: Double?) -> String {
    value.map { "\(Figure.quantity($0)) m" } ?? "—"
  }
}
