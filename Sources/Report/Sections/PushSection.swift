internal import Core
internal import Figures

extension RunSections {
  var pushes: HTML? {
    guard wake.requested > 0 else { return nil }
    let pending = count(.pending)
    let ended = wake.requested - pending
    var bars = [
      BarChart.Bar(
        name: "requested", value: Double(wake.requested), text: Figure.grouped(wake.requested),
        ink: .grey)
    ]
    var stages = Table(head: ["stage", "pushes", "of the ended", "lost before", "meaning"])
    stages.words = [3, 4]
    var left = ended
    func add(_ name: String, _ losses: [WakeOutcome], _ meaning: String, _ ink: Ink) {
      let share = ended > 0 ? Figure.percent(Double(left) / Double(ended)) : "—"
      bars.append(
        .init(
          name: name, value: Double(left), text: "\(Figure.grouped(left)) (\(share))", ink: ink))
      let lost = losses.filter { count($0) > 0 }
        .map { "\(Figure.grouped(count($0))) \($0.name)" }
      stages.rows.append(
        [name, Figure.grouped(left), share, lost.joined(separator: ", "), meaning])
    }
    add("ended", [.pending], "The push’s time limit ended before the run.", .blue)
    for stage in PushStage.allCases {
      let (name, losses, meaning) = stage.row
      left -= losses.reduce(0) { $0 + count($1) }
      add(name, losses, meaning, stage == .inTime ? .green : .blue)
    }
    return page.section(
      "pushes", "Outcomes of silent pushes", sentence(ended),
      chart: Chart(
        title: "Silent pushes by stage reached, from request to report",
        body: .bars(BarChart(bars: bars, unit: "silent pushes that reached the stage"))),
      open: outcomes, tables: [.facts("Stages as a table", stages)],
      notes: [
        """
        Every push has exactly one outcome: the first gate that stopped it. Shares are of the \
        pushes requested. \(Figure.grouped(wake.withheld)) more pushes, early enough to be judged, \
        were withheld at random to measure the uplift.\(Self.others(wake))\(Self.shown(wake))
        """,
        """
        A real server knows requests and refusals only; all other outcomes come from the simulated \
        phones.
        """,
      ])
  }

  private static func others(_ wake: RunRecord.Wake) -> HTML {
    guard let unanswerable = wake.unanswerable else { return "" }
    return """
       \(Figure.grouped(unanswerable.requested)) pushes went to phones whose policy ignores \
      pushes. This section counts these pushes; the judged pushes of the first screen exclude them.
      """
  }

  /// Returns words on alerts, which owners who allow them see whether or not the app runs.
  private static func shown(_ wake: RunRecord.Wake) -> HTML {
    guard let shown = wake.shown else { return "" }
    let alerts = wake.types?.first { $0.name == "alert" }?.requested
    let which = alerts.map { "\(Figure.grouped($0)) of the pushes" } ?? "The pushes"
    return """
       \(which) were alerts; phones displayed \(Figure.grouped(shown)).
      """
  }

  private func count(_ outcome: WakeOutcome) -> Int { wake.outcomes[outcome.rawValue] ?? 0 }

  private func sentence(_ ended: Int) -> HTML {
    let caused = count(.caused)
    guard ended > 0 else {
      return "None of the \(Figure.grouped(wake.requested)) requested pushes has ended yet."
    }
    let share = Figure.percent(Double(caused) / Double(ended))
    let misses = WakeOutcome.allCases
      .filter { $0 != .caused && $0 != .pending && $0 != .raced && count($0) > 0 }
      .sorted { (count($1), $0.rawValue) < (count($0), $1.rawValue) }
    let named: [HTML] = misses.prefix(2).map { miss in
      "\(miss.name) (\(Figure.percent(Double(count(miss)) / Double(ended))))"
    }
    let why: HTML =
      named.isEmpty ? "" : ". Most frequent losses: \(named.listed)"
    return """
      \(Figure.grouped(caused)) of \(Figure.grouped(ended)) ended pushes (\(share)) caused a \
      position in time\(why).
      """
  }

  private var outcomes: Table {
    var table = Table(head: ["outcome", "pushes", "share", "meaning", "advice"])
    table.words = [3, 4]
    for outcome in WakeOutcome.allCases where count(outcome) > 0 {
      table.rows.append([
        outcome.name, Figure.grouped(count(outcome)),
        Figure.percent(Double(count(outcome)) / Double(wake.requested)), outcome.meaning,
        outcome.advice,
      ])
    }
    return table
  }
}
