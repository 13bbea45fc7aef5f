internal import Core
internal import Figures

extension RunComparison {
  package func report(_ files: [RunFiles] = []) -> Document {
    let curves: [Block?] = [
      section(
        files, "responses", "Response p99 of each second", "response_p99_us",
        unit: "wall-clock time"
      ) { .powersOfTen(from: $0, to: $1, form: .time, text: Figure.time) },
      section(files, "rates", "Acknowledged batches", "acked_per_s", unit: "batches/s") {
        .fromZero(to: $1, ticks: 4, text: Figure.quantity)
      },
      section(
        files, "fresh", "Fresh reachable phones", "fresh_reachable_now",
        unit: "share of reachable phones"
      ) { _, _ in .share },
    ]
    let answers: [Block?] = runs.indices.dropFirst().flatMap { place -> [Block?] in
      let (sentence, list) = RunComparisonWords.answer(self, of: place)
      return [.question(sentence), list.isEmpty ? nil : .list(list)]
    }
    let figures = RunComparisonWords.figures(self)
    return Document(
      title: RunComparisonWords.title(self), isWrapped: false,
      blocks: [
        .only([.terminal], opening + [.gap, .table(figures), .gap] + answers),
        .paper(answers),
        .paper(
          .section(
            "figures", "Figures side by side",
            [.table(figures), .note(RunComparisonWords.legend)])),
        .page(curves), promiseTable, .paper(made),
      ])
  }

  private var opening: [Block?] {
    let runs = self.runs.enumerated().map { place, run -> Block? in
      let speed = run.speed == 1 ? "" : " at \(Figure.plain(run.speed)) ×"
      return .text(
        """
        \(RunComparisonWords.letter(place))  \(run.path): \(run.scenario), \
        \(Figure.grouped(run.phones)) phones\(speed), seed \(run.seed), \(run.verdict.rawValue)
        """)
    }
    let pairs = pairings.enumerated().flatMap { offset, pairing -> [Block?] in
      let lead = runs.count > 2 ? "\(RunComparisonWords.letter(offset + 1)): " : ""
      let differences = pairing.differences.joined(separator: "; ")
      return [
        .text(lead + pairing.sentence),
        differences.isEmpty ? nil : .text("\(lead)differences: \(differences)"),
      ]
    }
    return runs + pairs
  }

  // MARK: Pictures

  private static let inks: [Ink] = [.blue, .vermilion, .green, .purple, .orange, .sky, .grey]
  /// The points of a curve on the widest canvas.
  private static let pointsMax = 240

  private func section(
    _ files: [RunFiles], _ id: String, _ title: String, _ column: String, unit: String,
    _ y: (Double, Double) -> Scale
  ) -> Block? {
    let curves = files.enumerated().compactMap { Self.curve($0.element, $0.offset, column) }
    let values = curves.flatMap { $0.points.compactMap(\.y) }
    guard let low = values.filter({ $0 > 0 }).min(), let high = values.max() else { return nil }
    let end = curves.flatMap { $0.points.map(\.x) }.max() ?? 1
    let chart = Chart(
      title: "\(title), one curve per run",
      body: .lines(
        LineChart(
          x: { .fromZero(to: end, ticks: $0, text: Figure.quantity) }, y: y(low, high), unit: unit,
          xUnit: "simulated minutes", series: curves)))
    return .section(id, title, "By simulated time since the start of each run.", chart: chart)
  }

  private static func curve(
    _ files: RunFiles, _ place: Int, _ column: String
  ) -> LineChart.Series? {
    guard files.timeline.has(column) else { return nil }
    let timeline = files.timeline.condensed(to: pointsMax)
    let start = timeline["scenario_s"].first.flatMap(\.self) ?? 0
    let x = timeline["scenario_s"].map { (($0 ?? start) - start) / 60 }
    return LineChart.Series(
      name: RunComparisonWords.letter(place), ink: inks[place % inks.count],
      points: Array(zip(x, timeline[column])).map { (x: $0.0, y: $0.1) }, isDashed: place > 0)
  }

  // MARK: SLOs and runs

  private var promiseTable: Block? {
    guard !promises.isEmpty else { return nil }
    let table = Table(
      promises, words: [1, 4],
      [
        "run": { RunComparisonWords.letter($0.run) }, "SLO": { $0.result.name },
        "actual": { one in one.result.actual.map(one.result.amount) },
        "limit": { $0.result.amount($0.result.limit) },
        "": { $0.result.pass ? "met" : $0.wasKept ? "newly missed" : "missed" },
      ])
    return .paper(.section("promises", "SLOs", [.table(table)]))
  }

  private var made: Block {
    let pairs = pairings.enumerated().flatMap { offset, pairing -> [Block?] in
      let lead = "\(RunComparisonWords.letter(offset + 1)) and A. \(pairing.sentence)"
      return pairing.differences.isEmpty
        ? [.text(lead)] : [.text("\(lead) Differences:"), .list(pairing.differences)]
    }
    return .section(
      "runs", "Runs and method",
      [.table(RunComparisonWords.runs(self))] + pairs + [
        .note(
          """
          Regression: a figure worse by more than \(Figure.percent(tolerance)) and significant (if \
          it has an interval); a newly missed SLO; any additional lost fix.
          """)
      ])
  }

  package var csv: String {
    let rows = self.rows.flatMap { row in
      runs.enumerated().map { place, run in
        let change = place > 0 ? row.changes[place - 1] : nil
        return [
          row.figure.rawValue, row.unit.rawValue, row.good.rawValue, run.path,
          Table.field(row.values[place]), Table.field(change?.ratio), Table.field(change?.low),
          Table.field(change?.high), change?.method.rawValue ?? "", change?.word.rawValue ?? "",
          change.map { "\($0.isRegression)" } ?? "",
        ]
      }
    }
    return Table(
      head: [
        "figure", "unit", "good", "run", "value", "ratio", "low", "high", "interval", "word",
        "regression",
      ], rows: rows
    ).csv
  }
}
