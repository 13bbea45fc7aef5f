internal import Core
internal import Figures

extension RunSections {
  private static let rows: [(name: String, path: any KeyPath<Account, Int> & Sendable, ink: Ink)] =
    [
      ("generated", \.generated, .blue), ("filtered", \.filtered, .grey),
      ("evicted", \.evicted, .vermilion), ("refused", \.refused, .vermilion),
      ("in outboxes", \.outbox, .orange), ("in flight", \.inFlight, .orange),
      ("acknowledged", \.acknowledged, .green), ("received", \.received, .blue),
      ("distinct", \.distinct, .green), ("duplicate", \.duplicate, .grey),
      ("rejected", \.rejected, .vermilion), ("lost", \.lost, .vermilion),
    ]

  var ledger: HTML? {
    let ledger = record.ledger
    guard ledger.fixes.generated > 0 else { return nil }
    // Omits generated and filtered fixes, beside which the others would be too small to see.
    let bars = Self.rows.filter { $0.name != "generated" && $0.name != "filtered" }
    let table = Table(
      head: ["", "fixes", "batches"],
      rows: Self.rows.map {
        [
          $0.name,
          $0.path == \.lost && !record.knowsLosses
            ? "—" : Figure.grouped(ledger.fixes[keyPath: $0.path]),
          Figure.grouped(ledger.batches[keyPath: $0.path]),
        ]
      })
    let faults = ledger.check()
    let lost: HTML =
      record.knowsLosses
      ? "\(Figure.grouped(ledger.fixes.lost)) were lost"
      : "losses are unknown because nothing was verified"
    let balance: HTML =
      faults.isEmpty
      ? record.target == nil ? "both sides balance" : "the phones’ side balances"
      : "the ledger does not balance: \(faults.joined(separator: " "))"
    return page.section(
      "ledger", "Ledger of fixes",
      """
      Apps generated \(Figure.grouped(ledger.fixes.generated)) fixes and filtered out \
      \(Figure.grouped(ledger.fixes.filtered)); \(lost); \(balance).
      """,
      chart: Chart(
        title: "Fixes that passed the filter, by state at the end",
        body: .bars(
          BarChart(
            bars: bars.map { row in
              let count = ledger.fixes[keyPath: row.path]
              return .init(
                name: row.name, value: Double(count), text: Figure.grouped(count), ink: row.ink)
            }, unit: "fixes"))),
      tables: [.facts("Ledger as a table", table)],
      notes: [
        """
        Generated = filtered + evicted + refused + in outboxes + in flight + acknowledged; \
        received = distinct + duplicate + rejected, as counted by the collector. A fix is one \
        position. Lost: fixes that were acknowledged to a phone but are missing at the collector.
        """
      ])
  }

  // MARK: Clock offsets of the phones, and those that a server sees

  var clocks: HTML? {
    guard let clocks = record.clocks, !clocks.sentence.isEmpty else { return nil }
    return page.section(
      "clocks", "Clock offsets", "\(clocks.sentence)",
      open: Table(head: ClockFigures.head, rows: clocks.rows),
      notes: ["\(ClockFigures.note)"])
  }
}
