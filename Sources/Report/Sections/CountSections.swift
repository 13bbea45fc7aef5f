internal import Measure

/// What became of every silent push, gate by gate.
struct PushSection {
  private let files: RunFiles

  init(_ files: RunFiles) { self.files = files }

  private static func ink(_ outcome: WakeOutcome) -> Ink {
    switch outcome {
    case .caused: .green
    case .late: .sky
    case .raced, .pending: .grey
    case .rejected, .unregistered, .switchedOff, .offline, .overwritten, .expired, .forceQuit,
      .lowPower, .refreshOff, .throttled, .appCrashed, .noPermission, .noFix, .uploadFailed:
      .vermilion
    }
  }

  func html(_ page: Page) -> HTML? {
    let wake = files.record.wake
    guard wake.requested > 0 else { return nil }
    var left = wake.requested
    var bars = [
      BarChart.Bar(
        name: "requested", value: Double(left), text: Figure.grouped(left), ink: .blue)
    ]
    var table = Table(head: ["outcome", "pushes", "share", "left"])
    for outcome in WakeOutcome.allCases {
      guard let count = wake.outcomes[outcome.rawValue], count > 0 else { continue }
      left -= count
      let share = Figure.percent(Double(count) / Double(wake.requested))
      let name = outcome.rawValue.replacing("-", with: " ")
      bars.append(
        .init(
          name: name, value: Double(count), text: "\(Figure.grouped(count)) (\(share))",
          ink: Self.ink(outcome)))
      table.rows.append([name, Figure.grouped(count), share, Figure.grouped(left)])
    }
    let caused = Figure.grouped(wake.outcomes[WakeOutcome.caused.rawValue] ?? 0)
    return page.section(
      "pushes", "What became of the silent pushes",
      """
      Of \(Figure.grouped(wake.requested)) requested pushes \(caused) caused a position in time; \
      each other one ended at the first gate that stopped it, in the order of the gates.
      """,
      chart: Chart(
        name: "pushes", title: "Silent pushes by outcome, in the order of the gates",
        body: .bars(BarChart(bars: bars, unit: "silent pushes"))),
      tables: [.facts("Outcomes as a table", table)],
      notes: [
        """
        Late: caused a position, but not in time. Raced: the phone reported by itself first. \
        Pending: too near the end of the run to be judged. \(Figure.grouped(wake.withheld)) more \
        were withheld at random, to measure the uplift.
        """
      ])
  }
}

/// Where every fix and every batch went.
struct LedgerSection {
  private let files: RunFiles

  init(_ files: RunFiles) { self.files = files }

  private static let rows: [(name: String, path: any KeyPath<Account, Int> & Sendable, ink: Ink)] =
    [
      ("generated", \.generated, .blue), ("filtered", \.filtered, .grey),
      ("evicted", \.evicted, .vermilion), ("refused", \.refused, .vermilion),
      ("in outboxes", \.outbox, .orange), ("in flight", \.inFlight, .orange),
      ("acknowledged", \.acknowledged, .green), ("received", \.received, .blue),
      ("distinct", \.distinct, .green), ("duplicate", \.duplicate, .grey),
      ("rejected", \.rejected, .vermilion), ("lost", \.lost, .vermilion),
    ]

  func html(_ page: Page) -> HTML? {
    let ledger = files.record.ledger
    guard ledger.fixes.generated > 0 else { return nil }
    // What a filter drops is most of it, and would make the rest too small to see.
    let bars = Self.rows.filter { $0.name != "generated" && $0.name != "filtered" }
    let table = Table(
      head: ["", "fixes", "batches"],
      rows: Self.rows.map {
        [
          $0.name, Figure.grouped(ledger.fixes[keyPath: $0.path]),
          Figure.grouped(ledger.batches[keyPath: $0.path]),
        ]
      })
    let faults = ledger.check()
    let balance: HTML =
      faults.isEmpty
      ? "both sides add up exactly" : "the ledger does not add up: \(faults.joined(separator: " "))"
    return page.section(
      "ledger", "Where every position went",
      """
      Phones’ apps were given \(Figure.grouped(ledger.fixes.generated)) positions and filtered \
      \(Figure.grouped(ledger.fixes.filtered)) of them; what became of the rest is below, \
      \(Figure.grouped(ledger.fixes.lost)) were lost, and \(balance).
      """,
      chart: Chart(
        name: "ledger", title: "Positions that passed the filter, by where they are at the end",
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
        received = distinct + duplicate + rejected, as the collector counted. A fix is one \
        position. Lost: acknowledged to a phone, but not held by the collector.
        """
      ])
  }
}
